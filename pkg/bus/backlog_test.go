package bus_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestBacklogCountsItems checks the backlog of a stream with several events for an item, of several tenants, and the size of
// the stream.
func TestBacklogCountsItems(t *testing.T) {
	w := bustest.Open(t)
	steps := bus.Work{Stream: bustest.WorkStream, Subjects: "assay.file.uploaded.>", Item: func(subject string) string {
		item, _, _ := strings.Cut(strings.TrimPrefix(subject, "assay.file.uploaded."), "-")
		return strings.TrimPrefix(item, "none")
	}}
	read := func(work bus.Work) bus.Backlog {
		t.Helper()
		found, err := w.Bus.Backlog(t.Context(), work)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := read(steps); got != (bus.Backlog{Counted: true}) {
		t.Errorf("empty stream: got %+v, want nothing", got)
	}
	before := time.Now().Add(-time.Second) // the clock of the server is in milliseconds
	for n := range 10 {
		w.Publish(t, bustest.UploadedBy(fmt.Sprintf("owner%d", n%3), fmt.Sprintf("f%d-step%d", n%4, n)))
	}
	w.Publish(t, bustest.Uploaded("none"))
	got := read(steps)
	if got.Events != 11 || got.Items != 4 || !got.Counted || got.Oldest.Before(before) || got.Oldest.After(time.Now().Add(time.Second)) {
		t.Errorf("got %+v, want 11 events of 4 items, the oldest from now", got)
	}
	steps.Item = nil
	if got := read(steps); got.Items != 11 {
		t.Errorf("with one event for each item: got %+v, want 11 items", got)
	}
	level, err := w.Bus.Level(t.Context(), bustest.WorkStream)
	if err != nil || level.Messages != 11 || level.Bytes == 0 || level.Limit < 1<<30 || level.Fill != float64(level.Bytes)/float64(level.Limit) {
		t.Errorf("got the level %+v, error %v, want 11 messages and their share of the limit", level, err)
	}
}

// TestLevelOfMessages checks the fill of a stream that is limited in messages, and of one that drops its oldest messages.
func TestLevelOfMessages(t *testing.T) {
	w := bustest.OpenAt(t, bustest.Start(t), bus.Config{WorkMaxMessages: 4})
	if err := w.Bus.PublishMessage(t.Context(), bus.Message{Subject: bustest.Queue().Subject, ID: "m1", Type: "test"}); err != nil {
		t.Fatal(err)
	}
	w.Publish(t, bustest.Completed("f1"))
	for stream, want := range map[string]float64{bustest.Queue().Stream: 0.25, bus.StreamOutcomes: 0, bus.StreamAudit: 0} {
		if level, err := w.Bus.Level(t.Context(), stream); err != nil || level.Fill != want {
			t.Errorf("%s: got %+v, error %v, want fill %v", stream, level, err, want)
		}
	}
	if level, err := w.Bus.Level(t.Context(), bus.StreamAudit); err != nil || level.Limit != bus.AuditMaxBytes {
		t.Errorf("audit log: got %+v, error %v, want the limit %d", level, err, bus.AuditMaxBytes)
	}
	if _, err := w.Bus.Level(t.Context(), "ASSAY_ABSENT"); err == nil {
		t.Error("absent stream: got no error, want one")
	}
}
