package live

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
)

// notes is the stream of a second source.
var notes = bus.Log{Stream: "NOTES", Subjects: "assay.notes.>"}

func note(owner, id string) event.Event {
	e := outcome(owner, id)
	e.ID, e.Subject = "note/"+id, "assay.notes."+id
	return e
}

// Readers of several streams resume in each of them, whichever stream their last event was in, and receive
// signals while they are connected.
func TestReadersResumeInEveryStream(t *testing.T) {
	server := bustest.Open(t)
	b, err := bus.Connect(t.Context(), bustest.Settings(server.URL, bus.Config{Logs: []bus.Log{notes}}), "test", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	w := &world{T: t, bus: b, js: server.JS, log: &transcript{}}
	read := func(name string) func(bus.Delivery) (Event, bool) {
		return func(d bus.Delivery) (Event, bool) {
			return Event{Event: web.Event{Name: name, Data: d.Data}, Item: d.Item}, d.Item != "skipped"
		}
	}
	w.with = func(h *Hub) {
		h.Follow(Source{Area: "notes", Stream: notes.Stream, Event: read("note")})
		h.Follow(Source{Area: "notes", Subjects: "assay.signals.>", Event: read("signal")})
	}
	w.serve(many, 16)
	publish := func(events ...event.Event) {
		for _, e := range events {
			if err := b.Publish(w.ctx, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := w.open(w.url+"/v1/events?owner=ann", "")
	if ready := s.expect("ready", ""); ready.id != "0-0" {
		t.Errorf("the stream begins at %s, want 0-0", ready.id)
	}
	publish(outcome("ann", "a1"), note("bob", "b1"), note("ann", "skipped"))
	s.expect("completed", "a1")
	publish(note("ann", "n1"))
	at := s.expect("note", "n1").id
	if at != "1-3" {
		t.Errorf("the note is at %s, want 1-3", at)
	}
	signal := outcome("ann", "s1")
	signal.Subject = "assay.signals.s1"
	w.eventually(func() error { // it may be sent before the subscription exists
		if err := b.Signal(signal); err != nil {
			return err
		}
		if _, newest, _ := w.hub.sources[2].ring.bounds(); newest == 0 {
			return fmt.Errorf("got no signal in the ring, want 1")
		}
		return nil
	})
	if m := s.expect("signal", "s1"); m.id != "" {
		t.Errorf("got signal with id %s, want none", m.id)
	}
	s.leave()
	publish(outcome("ann", "a2"), note("ann", "n2"))
	for range 2 {
		again := w.open(w.url+"/v1/events?owner=ann", at)
		again.expect("ready", "")
		got := map[string]bool{}
		for range 2 {
			m, err := again.next()
			if err != nil {
				t.Fatal(err)
			}
			got[m.name] = true
		}
		if !got["completed"] || !got["note"] {
			t.Errorf("resumed at %s: got %v, want completed and note", at, got)
		}
		again.leave()
		w.serve(many, 16) // another process
	}
	// An id without a position in the notes resumes only the outcomes.
	old := w.open(w.url+"/v1/events?owner=ann", "1")
	if ready := old.expect("ready", ""); ready.id != "1-4" {
		t.Errorf("the old id resumes at %s, want 1-4", ready.id)
	}
	old.expect("completed", "a2")
	if gone := w.open(w.url+"/v1/events?owner=ann", "1-99").expect("resync", ""); gone.id != "1-4" {
		t.Errorf("an unknown position resyncs at %s, want 1-4", gone.id)
	}
}

// A filter's Check is called for each event when it is sent, and an error of Allowed ends the stream.
func TestStreamsEndWithTheirPermission(t *testing.T) {
	w := open(t, many, 16)
	allowed := true
	f := Filter{
		Area: "textfile",
		Check: func(_ context.Context, facet any) (bool, *web.Event, error) {
			switch facet {
			case "b":
				return false, nil, nil
			case "c":
				return true, &web.Event{Name: "completed", Data: []byte(`{"id":"hidden"}`)}, nil
			}
			return true, nil, nil
		},
		Allowed: func(context.Context) error {
			if !allowed {
				return fmt.Errorf("permission revoked")
			}
			return nil
		},
	}
	r, _, err := w.hub.begin(w.ctx, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.leave()
	for _, id := range []string{"a1", "b1", "c1"} {
		w.publish("ann", id)
	}
	var sent strings.Builder
	w.eventually(func() error {
		batch, err := w.hub.next(w.ctx, r)
		for _, frame := range batch.Frames {
			sent.Write(frame)
		}
		if batch.Position != "3" {
			return fmt.Errorf("got position %s, error %v, want 3", batch.Position, err)
		}
		return nil
	})
	if got := sent.String(); !strings.Contains(got, `"id":"a1"`) || strings.Contains(got, "b1") || strings.Contains(got, "c1") || !strings.Contains(got, "hidden") {
		t.Errorf("got %s, want a1, and hidden instead of c1", got)
	}
	allowed = false
	if batch, err := w.hub.next(w.ctx, r); err == nil || len(batch.Frames) > 0 {
		t.Errorf("after the permission was revoked: got %+v, error %v, want an error and no frames", batch, err)
	}
}
