package main

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/textfile"
)

// TestAsyncAPIDescribesExactlyTheSentHeaders compares the description with two sent messages: an event with an
// owner, a version and a trace that a replay caused, and its dead letter.
func TestAsyncAPIDescribesExactlyTheSentHeaders(t *testing.T) {
	doc := readAsyncAPI(t)
	sent, dead := sendAndGiveUp(t)

	eventHeaders := doc.Components.Schemas["EventHeaders"]
	compareHeaders(t, "an event", sent.Header, eventHeaders.Properties)
	for _, name := range eventHeaders.Required {
		if _, there := eventHeaders.Properties[name]; !there {
			t.Errorf("the required header %s is not described", name)
		}
	}
	both := maps.Clone(eventHeaders.Properties)
	maps.Copy(both, doc.Components.Schemas["DeadHeaders"].Properties)
	compareHeaders(t, "a dead letter", dead.Header, both)

	for name, message := range doc.Components.Messages {
		want := []ref{{"#/components/schemas/EventHeaders"}}
		if name == "DeadLetter" {
			want = append(want, ref{"#/components/schemas/DeadHeaders"})
		}
		if got := append(message.Headers.AllOf, ref{message.Headers.Ref}); !slices.Equal(slices.DeleteFunc(got, func(r ref) bool { return r.Ref == "" }), want) {
			t.Errorf("the header schemas of %s are %v, want %v", name, got, want)
		}
	}
	if address := doc.Channels["deadLetter"].Address; !regexp.MustCompile("^" + parameter.ReplaceAllString(address, `[^.]+`) + "$").MatchString(dead.Subject) {
		t.Errorf("the subject of a dead letter is %s, want a match of %s", dead.Subject, address)
	}
}

func compareHeaders(t *testing.T, what string, got nats.Header, described map[string]schema) {
	t.Helper()
	for name := range got {
		if strings.HasPrefix(name, "Nats-") && name != nats.MsgIdHdr {
			continue // set by the server
		}
		if _, there := described[name]; !there {
			t.Errorf("%s has the header %s, which is not described", what, name)
		}
	}
	for name := range described {
		if len(got[name]) == 0 {
			t.Errorf("%s has no header %s", what, name)
		}
	}
}

func sendAndGiveUp(t *testing.T) (sent, dead *nats.Msg) {
	t.Helper()
	stream := textfile.Work()
	stream.Version = 2
	w := bustest.OpenAt(t, bustest.Start(t), bus.Config{Work: []bus.Work{stream}})
	work, err := w.NATS.SubscribeSync("assay.file.>")
	if err != nil {
		t.Fatal(err)
	}
	deadLetters, err := w.NATS.SubscribeSync("assay.dead.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.NATS.Flush(); err != nil {
		t.Fatal(err)
	}
	trace := obs.ContinueTrace("", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=1")
	e := textfile.NewUploaded(&event.FileUploaded{FileId: "f1", OwnerId: "ann"})
	e.Version = 2
	if err := w.Bus.Publish(bus.WithReplay(obs.WithTrace(t.Context(), trace), 17), e); err != nil {
		t.Fatal(err)
	}
	bustest.Consume(t, w.Bus, bus.Consumer{
		Name: "worker", Stream: textfile.WorkStream,
		Handle: func(context.Context, bus.Delivery) error { return bus.Permanent(errors.New("not a string")) },
	})
	if sent, err = work.NextMsg(bustest.Patience); err == nil {
		dead, err = deadLetters.NextMsg(bustest.Patience)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sent, dead
}
