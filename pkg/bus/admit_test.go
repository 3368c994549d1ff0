package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/fair"
)

func (w *world) admit(t *testing.T, owner string) error {
	t.Helper()
	return w.bus.Admit(t.Context(), workStream, owner)
}

// eventuallyAdmits waits until admission ends with want: a count may be a second old.
func (w *world) eventuallyAdmits(t *testing.T, owner string, want error) {
	t.Helper()
	eventually(t, func() error {
		if err := w.admit(t, owner); !errors.Is(err, want) {
			return fmt.Errorf("the admission of %s ends with %w, want %w", owner, err, want)
		}
		return nil
	})
}

// A tenant that floods does not get the last places: they are for others that have little
// waiting.
func TestFloodLeavesRoomForOthers(t *testing.T) {
	w := openAt(t, open(t).url, bus.Config{WorkMaxMessages: 100})
	for i := range 50 {
		w.publish(t, uploadedBy(fmt.Sprint("other", i/5), fmt.Sprint("o", i)))
	}
	for i := range 40 {
		w.publish(t, uploadedBy("flood", fmt.Sprint("f", i)))
	}
	w.eventuallyAdmits(t, "flood", fair.ErrFull)
	for i := range 9 {
		owner := fmt.Sprint("late", i)
		if err := w.admit(t, owner); err != nil {
			t.Error(err)
		}
		w.publish(t, uploadedBy(owner, owner))
	}
}

func TestFullBacklogAdmitsNobody(t *testing.T) {
	w := openAt(t, open(t).url, bus.Config{WorkMaxMessages: 2})
	w.publish(t, uploaded("f1"))
	if err := w.admit(t, "somebody"); err != nil {
		t.Errorf("with one place left: %v", err)
	}
	w.publish(t, uploaded("f2"))
	w.eventuallyAdmits(t, "somebody", fair.ErrFull)
	consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error { return nil }))
	w.eventuallyAdmits(t, "somebody", nil)
}

// A tenant that has as much work waiting as it may is refused, others are not; and it is
// admitted again when its work is done.
func TestOneTenantCannotFillTheBacklog(t *testing.T) {
	for _, limit := range []int64{3, 30} { // below the end of the highest priority, and above
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			w := openAt(t, open(t).url, bus.Config{WorkMaxPerOwner: limit})
			for i := range limit {
				w.publish(t, uploadedBy("flood", fmt.Sprint(i)))
			}
			if err := w.admit(t, "flood"); !errors.Is(err, fair.ErrTenantFull) {
				t.Errorf("one more: %v", err)
			}
			w.publish(t, uploadedBy("other", "o"))
			if err := w.admit(t, "other"); err != nil {
				t.Errorf("the other tenant: %v", err)
			}
			consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error { return nil }))
			w.eventuallyAdmits(t, "flood", nil)
		})
	}
}

// What follows from accepted work is never refused: a worker publishes 10,000 steps of one
// owner while the backlog is full, and all of them are done.
func TestFollowUpWorkIsNotRefused(t *testing.T) {
	const steps = 10_000
	w := openAt(t, open(t).url, bus.Config{WorkMaxMessages: 10, WorkMaxPerOwner: 10})
	for i := range 10 {
		w.publish(t, uploaded(fmt.Sprint("accepted", i)))
	}
	w.eventuallyAdmits(t, "ann", fair.ErrFull)
	done := make(chan string, steps+10)
	c := consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "accepted0" {
			for i := range steps {
				if err := w.bus.Publish(ctx, uploaded(fmt.Sprint("step", i))); err != nil {
					t.Errorf("step %d: %v", i, err)
					return nil
				}
			}
		}
		done <- d.Item
		return nil
	})
	c.Parallel = 4
	consume(t, w.bus, c)
	for range steps + 10 {
		next(t, done, "delivery")
	}
	w.awaitCount(t, workStream, 0)
}

// A repeat of an event takes no place, as when a client and the bucket both report an
// upload.
func TestRepeatsDoNotCount(t *testing.T) {
	w := openAt(t, open(t).url, bus.Config{WorkMaxMessages: 5, WorkMaxPerOwner: 4})
	for range 20 {
		w.publish(t, uploaded("f1"))
		if err := w.admit(t, "ann"); err != nil {
			t.Fatal(err)
		}
	}
}

// Admission for a stream of another kind is a mistake of the caller.
func TestAdmitOfNoWork(t *testing.T) {
	if err := open(t).bus.Admit(t.Context(), bus.StreamOutcomes, "ann"); err == nil {
		t.Error("admitted")
	}
}

// A server that is away is reported, and callers do not wait for it.
func TestUnknownBacklogIsReported(t *testing.T) {
	url, stop, err := bustest.Serve(t.TempDir(), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := openAt(t, url, bus.Config{})
	stop()
	w.eventuallyAdmits(t, "ann", fair.ErrBacklogUnknown)
}
