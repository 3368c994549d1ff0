package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/fair"
)

func admit(t *testing.T, w *bustest.World, owner string) error {
	t.Helper()
	return w.Bus.Admit(t.Context(), bustest.WorkStream, owner)
}

// eventuallyAdmits waits until Admit returns want: a count may be up to one second old.
func eventuallyAdmits(t *testing.T, w *bustest.World, owner string, want error) {
	t.Helper()
	bustest.Eventually(t, func() error {
		if err := admit(t, w, owner); !errors.Is(err, want) {
			return fmt.Errorf("Admit for %s returned %w, want %w", owner, err, want)
		}
		return nil
	})
}

// TestBusyTenantLeavesPlacesForOthers checks that a tenant with many messages cannot use the last
// free places, which are reserved for tenants with few messages.
func TestBusyTenantLeavesPlacesForOthers(t *testing.T) {
	w := bustest.OpenAt(t, bustest.Open(t).URL, bus.Config{WorkMaxMessages: 100})
	for i := range 50 {
		w.Publish(t, bustest.UploadedBy(fmt.Sprint("other", i/5), fmt.Sprint("o", i)))
	}
	for i := range 40 {
		w.Publish(t, bustest.UploadedBy("flood", fmt.Sprint("f", i)))
	}
	eventuallyAdmits(t, w, "flood", fair.ErrFull)
	for i := range 9 {
		owner := fmt.Sprint("late", i)
		if err := admit(t, w, owner); err != nil {
			t.Error(err)
		}
		w.Publish(t, bustest.UploadedBy(owner, owner))
	}
}

func TestFullBacklogAdmitsNoTenant(t *testing.T) {
	w := bustest.OpenAt(t, bustest.Open(t).URL, bus.Config{WorkMaxMessages: 2})
	w.Publish(t, bustest.Uploaded("f1"))
	if err := admit(t, w, "ann"); err != nil {
		t.Errorf("with one free place: got error %v, want nil", err)
	}
	w.Publish(t, bustest.Uploaded("f2"))
	eventuallyAdmits(t, w, "ann", fair.ErrFull)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { return nil }))
	eventuallyAdmits(t, w, "ann", nil)
}

// TestOneTenantCannotFillTheBacklog checks that a tenant at its limit is rejected while others are
// not, and is admitted again when its work is finished.
func TestOneTenantCannotFillTheBacklog(t *testing.T) {
	for _, limit := range []int64{3, 30} { // 30 messages extend into the second priority
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			w := bustest.OpenAt(t, bustest.Open(t).URL, bus.Config{WorkMaxPerOwner: limit})
			for i := range limit {
				w.Publish(t, bustest.UploadedBy("flood", fmt.Sprint(i)))
			}
			if err := admit(t, w, "flood"); !errors.Is(err, fair.ErrTenantFull) {
				t.Errorf("one more message: got error %v, want ErrTenantFull", err)
			}
			w.Publish(t, bustest.UploadedBy("other", "o"))
			if err := admit(t, w, "other"); err != nil {
				t.Errorf("the other tenant: got error %v, want nil", err)
			}
			bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { return nil }))
			eventuallyAdmits(t, w, "flood", nil)
		})
	}
}

// TestFollowUpWorkIsNotRejected checks that work that follows from accepted work is never
// rejected: a worker publishes 10,000 steps of one owner while the backlog is full, and all of
// them are processed.
func TestFollowUpWorkIsNotRejected(t *testing.T) {
	const steps = 10_000
	w := bustest.OpenAt(t, bustest.Open(t).URL, bus.Config{WorkMaxMessages: 10, WorkMaxPerOwner: 10})
	for i := range 10 {
		w.Publish(t, bustest.Uploaded(fmt.Sprint("accepted", i)))
	}
	eventuallyAdmits(t, w, "ann", fair.ErrFull)
	done := make(chan string, steps+10)
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "accepted0" {
			for i := range steps {
				if err := w.Bus.Publish(ctx, bustest.Uploaded(fmt.Sprint("step", i))); err != nil {
					t.Errorf("step %d: %v", i, err)
					return nil
				}
			}
		}
		done <- d.Item
		return nil
	})
	c.Parallel = 4
	bustest.Consume(t, w.Bus, c)
	for range steps + 10 {
		bustest.Next(t, done, "delivery")
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestRepeatedEventsDoNotCount checks that a repeated event does not count twice, as when a client
// and the bucket both report an upload.
func TestRepeatedEventsDoNotCount(t *testing.T) {
	w := bustest.OpenAt(t, bustest.Open(t).URL, bus.Config{WorkMaxMessages: 5, WorkMaxPerOwner: 4})
	for range 20 {
		w.Publish(t, bustest.Uploaded("f1"))
		if err := admit(t, w, "ann"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAdmitRejectsOtherStreams checks that Admit returns an error for a stream that is not a work
// stream.
func TestAdmitRejectsOtherStreams(t *testing.T) {
	if err := bustest.Open(t).Bus.Admit(t.Context(), bus.StreamOutcomes, "ann"); err == nil {
		t.Error("Admit for another stream: got no error, want one")
	}
}
