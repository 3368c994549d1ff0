package bus_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

func TestTraceIsPassedToTheHandler(t *testing.T) {
	w := bustest.Open(t)
	trace := obs.Trace{
		RequestID: "req-1", Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "vendor=1",
	}
	if err := w.Bus.Publish(obs.WithTrace(t.Context(), trace), bustest.Uploaded("f1")); err != nil {
		t.Fatal(err)
	}
	got := make(chan obs.Trace, 1)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(ctx context.Context, _ bus.Delivery) error {
		got <- obs.TraceFrom(ctx)
		return w.Bus.Publish(ctx, bustest.Completed("f1"))
	}))
	if in := bustest.Next(t, got, "delivery"); in != trace {
		t.Errorf("the handler received %+v, want %+v", in, trace)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	stream, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if id, parent := msg.Header["assay-request-id"], msg.Header["traceparent"]; len(id) != 1 || id[0] != "req-1" || len(parent) != 1 || parent[0] != trace.Parent {
		t.Errorf("the outcome has request id %v and trace parent %v, want req-1 and %s", id, parent, trace.Parent)
	}
}

// TestPlainClientReadsOutcomes checks that a NATS client without code of this project can read
// outcomes.
func TestPlainClientReadsOutcomes(t *testing.T) {
	w := bustest.Open(t)
	sub, err := w.NATS.SubscribeSync(event.OutcomeSubjects)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.NATS.Flush(); err != nil {
		t.Fatal(err)
	}
	w.Publish(t, bustest.Completed("f1"))
	msg, err := sub.NextMsg(bustest.Patience)
	if err != nil {
		t.Fatal(err)
	}
	if msg.Subject != "assay.analysis.completed.textfile.f1" {
		t.Errorf("got subject %s, want assay.analysis.completed.textfile.f1", msg.Subject)
	}
	for name := range msg.Header {
		if name != strings.ToLower(name) && name != nats.MsgIdHdr {
			t.Errorf("the header %s is not in lower case", name)
		}
	}
	// Read by the exact name, which HTTP-like canonicalization would not find.
	for name, want := range map[string]string{
		"ce-specversion": "1.0", "ce-type": "assay.v1.AnalysisCompleted", "ce-source": "/test",
		"ce-subject": "f1", "ce-owner": "ann", "ce-time": "2026-11-20T12:00:00Z",
		"ce-datacontenttype": "application/json",
		"ce-id":              "analysis.completed/textfile/f1/1795176000000",
	} {
		if got := msg.Header[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var body struct {
		Area, ID, OwnerID, Name string
		CompletedAt             time.Time
		TextStatistics          struct {
			TotalWords, UniqueWords, AvgWordLength float64
		}
	}
	if err := json.Unmarshal(msg.Data, &body); err != nil {
		t.Fatalf("unmarshal %s: %v", msg.Data, err)
	}
	if body.Area != "textfile" || body.ID != "f1" || body.OwnerID != "ann" || body.Name != "a.txt" ||
		!body.CompletedAt.Equal(bustest.When()) || body.TextStatistics.TotalWords != 2 || body.TextStatistics.AvgWordLength != 3 {
		t.Errorf("got %s, want the published outcome", msg.Data)
	}
}
