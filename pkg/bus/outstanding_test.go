package bus_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestAnItemHasOneMessageAtATime checks that an item has at most one message. If it had two, a
// worker could take over the item from another worker that is still running.
func TestAnItemHasOneMessageAtATime(t *testing.T) {
	w := bustest.Open(t)
	first, again := bustest.Uploaded("f1"), bustest.UploadedAgain("f1")
	w.Publish(t, first)
	if err := w.Bus.Publish(t.Context(), again); !errors.Is(err, bus.ErrOutstanding) {
		t.Fatalf("a second event of the item: got error %v, want ErrOutstanding", err)
	}
	if err := w.Bus.Publish(t.Context(), first); err != nil {
		t.Errorf("the same event again: got error %v, want nil", err)
	}
	w.Publish(t, bustest.Uploaded("f2"))

	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { return nil }))
	w.AwaitCount(t, bustest.WorkStream, 0)
	if err := w.Bus.Publish(t.Context(), again); err != nil {
		t.Errorf("after the first is acknowledged: got error %v, want nil", err)
	}
}

func TestOutstandingReportsQueuedWork(t *testing.T) {
	w := bustest.Open(t)
	e := bustest.Uploaded("f1")
	look := func() bool {
		there, err := w.Bus.Outstanding(t.Context(), e.Subject, e.Tenant)
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	if look() {
		t.Error("before the event is published: got true, want false")
	}
	w.Publish(t, e)
	if !look() {
		t.Error("while the message waits: got false, want true")
	}
	atWork, done := make(chan struct{}), make(chan struct{})
	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { close(atWork); <-done; return nil }))
	bustest.Next(t, atWork, "delivery")
	if !look() {
		t.Error("while a worker processes the message: got false, want true")
	}
	close(done)
	w.AwaitCount(t, bustest.WorkStream, 0)
	if look() {
		t.Error("after the message is acknowledged: got true, want false")
	}
}
