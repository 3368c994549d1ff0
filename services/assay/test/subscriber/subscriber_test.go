package subscriber_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/subscriber"
)

func TestOutcomesAreDecoded(t *testing.T) {
	a := open(t)
	ctx := obs.WithTrace(t.Context(), obs.Trace{RequestID: "req-1"})
	for _, e := range []event.Event{completed("textfile", "f1"), failed("textfile", "f2")} {
		if err := a.bus.Publish(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	seen, requests := make(chan subscriber.Outcome, 2), make(chan string, 2)
	start(t, a.config(), func(_ context.Context, o subscriber.Outcome) error {
		requests <- o.Trace.RequestID
		seen <- o
		return nil
	})
	o := next(t, seen, "completion")
	if o.ID != completed("textfile", "f1").ID || o.Area != "textfile" || o.Item != "f1" || o.Owner != "ann" || !o.At.Equal(when) ||
		o.Failed != nil || o.Completed.GetName() != "f1.txt" {
		t.Errorf("got %+v, want the completion of f1", o)
	}
	o = next(t, seen, "failure")
	if o.Item != "f2" || o.Completed != nil || o.Failed.GetErrorMessage() != "it is a PDF" {
		t.Errorf("got %+v, want the failure of f2", o)
	}
	if id := next(t, requests, "request id"); id != "req-1" {
		t.Errorf("got request id %q, want req-1", id)
	}
}

func TestAreaSelectsOutcomes(t *testing.T) {
	a := open(t)
	a.publish(t, completed("feed", "x"), completed("textfile", "f1"), failed("feed", "y"), completed("textfile", "f2"))
	cfg := a.config()
	cfg.Area = "textfile"
	seen := make(chan subscriber.Outcome, 4)
	start(t, cfg, into(seen))
	a.awaitIdle(t, cfg.Name)
	var got []string
	for range len(seen) {
		got = append(got, (<-seen).Item)
	}
	if !slices.Equal(got, []string{"f1", "f2"}) {
		t.Errorf("got outcomes of %q, want f1 and f2", got)
	}
}

func TestOnlyNewStartsAtTheEndAndResumes(t *testing.T) {
	a := open(t)
	a.publish(t, completed("textfile", "old"))
	cfg := a.config()
	cfg.OnlyNew = true
	seen := make(chan subscriber.Outcome, 4)
	stop := start(t, cfg, into(seen))
	a.awaitIdle(t, cfg.Name)
	a.publish(t, completed("textfile", "new"))
	if o := next(t, seen, "outcome"); o.Item != "new" {
		t.Errorf("got %s, want new", o.Item)
	}
	stop()
	a.publish(t, completed("textfile", "meanwhile"))
	stop = start(t, cfg, into(seen))
	if o := next(t, seen, "outcome published between the runs"); o.Item != "meanwhile" {
		t.Errorf("got %s, want meanwhile", o.Item)
	}
	stop()
	// An existing name keeps its position, regardless of OnlyNew.
	cfg.OnlyNew = false
	start(t, cfg, into(seen))
	a.publish(t, completed("textfile", "last"))
	if o := next(t, seen, "outcome"); o.Item != "last" {
		t.Errorf("got %s, want last", o.Item)
	}
}

func TestNamesGetAllOutcomesAndProcessesShareThem(t *testing.T) {
	a := open(t)
	const events = 30
	for i := range events {
		a.publish(t, completed("textfile", fmt.Sprint(i)))
	}
	shared := make(chan subscriber.Outcome, 2*events)
	start(t, a.config(), into(shared))
	start(t, a.config(), into(shared))
	other := a.config()
	other.Name = "index"
	own := make(chan subscriber.Outcome, 2*events)
	start(t, other, into(own))
	a.awaitIdle(t, "mailer")
	a.awaitIdle(t, "index")
	if len(shared) != events || len(own) != events {
		t.Errorf("two processes with one name received %d outcomes, and one with another name %d, want %d each", len(shared), len(own), events)
	}
}

func TestRunReturnsWithACanceledContext(t *testing.T) {
	a := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := subscriber.Run(ctx, a.config(), func(context.Context, subscriber.Outcome) error { return nil })
	if err != nil {
		t.Error(err)
	}
}

func TestRunRejectsInvalidSettings(t *testing.T) {
	url := bustest.Start(t) // a server with which Assay has never run
	for want, cfg := range map[string]subscriber.Config{
		"URL":            {Name: "mailer"},
		`name ""`:        {URL: url},
		`name "a.b"`:     {URL: url, Name: "a.b"},
		`"text*"`:        {URL: url, Name: "mailer", Area: "text*"},
		"ASSAY_OUTCOMES": {URL: url, Name: "mailer"},
		"127.0.0.1:1":    {URL: "nats://127.0.0.1:1", Name: "mailer"},
	} {
		err := subscriber.Run(t.Context(), cfg, func(context.Context, subscriber.Outcome) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want one that contains %s", cfg, err, want)
		}
	}
}
