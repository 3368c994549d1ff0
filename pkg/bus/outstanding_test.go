package bus_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
)

// Two messages of one item would let one worker take over from a live other.
func TestAnItemHasOneMessageAtATime(t *testing.T) {
	w := open(t)
	first, again := uploaded("f1"), uploadedAgain("f1")
	w.publish(t, first)
	if err := w.bus.Publish(t.Context(), again); !errors.Is(err, bus.ErrOutstanding) {
		t.Fatalf("a second event of the item: %v", err)
	}
	if err := w.bus.Publish(t.Context(), first); err != nil {
		t.Errorf("the same event again: %v", err)
	}
	w.publish(t, uploaded("f2"))

	consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error { return nil }))
	w.awaitCount(t, workStream, 0)
	if err := w.bus.Publish(t.Context(), again); err != nil {
		t.Errorf("once the first is acknowledged: %v", err)
	}
}

func TestOutstandingKnowsWaitingWork(t *testing.T) {
	w := open(t)
	e := uploaded("f1")
	look := func() bool {
		there, err := w.bus.Outstanding(t.Context(), e.Subject, e.Tenant)
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	if look() {
		t.Error("before it is published")
	}
	w.publish(t, e)
	if !look() {
		t.Error("not while it waits")
	}
	atWork, done := make(chan struct{}), make(chan struct{})
	consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error { close(atWork); <-done; return nil }))
	next(t, atWork, "the worker")
	if !look() {
		t.Error("not while a worker has it")
	}
	close(done)
	w.awaitCount(t, workStream, 0)
	if look() {
		t.Error("after it is done")
	}
}
