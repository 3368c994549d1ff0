package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

// A flood of one owner does not keep the work of others waiting: what comes after
// thousands of its items is done among the first.
func TestFloodDoesNotStarveOthers(t *testing.T) {
	w := openAt(t, open(t).url, bus.Config{WorkMaxMessages: 10_000})
	const flood, others, each = 3000, 20, 3
	for i := range flood {
		w.publish(t, uploadedBy("flood", fmt.Sprintf("flood-%d", i)))
	}
	for i := range others {
		for k := range each {
			w.publish(t, uploadedBy(fmt.Sprintf("owner%d", i), fmt.Sprintf("small-%d-%d", i, k)))
		}
	}
	var place, lastSmall, small atomic.Int64
	all := make(chan struct{})
	c := consumer(func(_ context.Context, d bus.Delivery) error {
		at := place.Add(1)
		if strings.HasPrefix(d.Item, "small") {
			small.Add(1)
			lastSmall.Store(max(lastSmall.Load(), at))
		}
		if at == flood+others*each {
			close(all)
		}
		return nil
	})
	c.Parallel = 2
	consume(t, w.bus, c)
	next(t, all, "end of the work")
	if small.Load() != others*each {
		t.Errorf("%d small items, want %d", small.Load(), others*each)
	}
	// The highest priority has half of the turns, and some items of the flood have it.
	if most := int64(3 * (others*each + 8)); lastSmall.Load() > most {
		t.Errorf("the last item of the others was the %dth, want it among the first %d of %d", lastSmall.Load(), most, flood)
	}
	w.awaitCount(t, workStream, 0)
}

// An owner with a few items one after the other keeps the highest priority, whatever it
// has published before: what is done does not count.
func TestDoneWorkDoesNotCount(t *testing.T) {
	w := open(t)
	done := make(chan string, 1)
	consume(t, w.bus, consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil }))
	listen, err := w.nc.SubscribeSync("assay.file.uploaded.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w.publish(t, uploaded(fmt.Sprint(i)))
		next(t, done, "item")
		w.awaitCount(t, workStream, 0)
		msg, err := listen.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		// The server is asked at most every 20 ms; until then the own count holds.
		if stored := msg.Header.Get("Nats-Subject"); !strings.HasPrefix(stored, "assay-work.0.") && !strings.HasPrefix(stored, "assay-work.1.") {
			t.Fatalf("item %d was stored as %s", i, stored)
		}
	}
}

// The same holds for several that are published at once.
func TestDoneWorkDoesNotCountForSeveralAtOnce(t *testing.T) {
	w := open(t)
	stop := consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error { return nil }))
	for i := range 8 {
		w.publish(t, uploaded(fmt.Sprint(i)))
	}
	w.awaitCount(t, workStream, 0)
	stop()
	var atOnce sync.WaitGroup
	for i := range 7 {
		atOnce.Go(func() {
			if err := w.bus.Publish(t.Context(), uploaded(fmt.Sprint("late", i))); err != nil {
				t.Error(err)
			}
		})
	}
	atOnce.Wait()
	work, err := w.js.Stream(t.Context(), workStream)
	if err != nil {
		t.Fatal(err)
	}
	info, err := work.Info(t.Context(), jetstream.WithSubjectFilter("assay-work.0.>"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(info.State.Subjects); n != 7 {
		t.Errorf("%d of 7 items have the highest priority", n)
	}
}

// Tenants with little work do not starve the others: though the highest priority is never
// empty, a lower one has its turn.
func TestLowPrioritiesHaveTheirTurn(t *testing.T) {
	w := open(t)
	for i := range 9 { // of which the last is of the second priority
		w.publish(t, uploadedBy("flood", fmt.Sprint("flood", i)))
	}
	n := 0
	small := func(ctx context.Context) error { // work of one more owner, of the highest priority
		n++
		return w.bus.Publish(ctx, uploadedBy(fmt.Sprint("owner", n), fmt.Sprint("small", n)))
	}
	for range 50 {
		if err := small(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	late := make(chan string, 1)
	consume(t, w.bus, consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "flood8" {
			late <- d.Item
		}
		return small(ctx)
	}))
	next(t, late, "item of the second priority")
}

// One item has one message, whatever the priority of its owner at the time.
func TestOneMessageInAllPriorities(t *testing.T) {
	w := open(t)
	w.publish(t, uploaded("f"))
	for i := range 100 { // the owner has a lower priority now
		w.publish(t, uploaded(fmt.Sprint(i)))
	}
	again := uploaded("f")
	again.ID += "/again"
	if err := w.bus.Publish(t.Context(), again); !errors.Is(err, bus.ErrOutstanding) {
		t.Errorf("a second event of the item: %v", err)
	}
	if err := w.bus.Publish(t.Context(), uploaded("f")); err != nil {
		t.Errorf("the same event again: %v", err)
	}
	if there, err := w.bus.Outstanding(t.Context(), again.Subject, again.Tenant); err != nil || !there {
		t.Errorf("outstanding: %v, %v", there, err)
	}
	w.awaitCount(t, workStream, 101)
}

// A worker that waits for the highest priority soon finds what is alone in a lower one,
// such as work that is retried.
func TestLowPrioritiesAreFound(t *testing.T) {
	w := open(t)
	for i := range 20 {
		w.publish(t, uploaded(fmt.Sprint(i)))
	}
	var tries atomic.Int64
	c := consumer(func(_ context.Context, d bus.Delivery) error {
		tries.Add(1)
		if d.Item == "19" && d.Attempt == 1 {
			return errFlaky
		}
		return nil
	})
	c.Backoff = func(int) time.Duration { return 500 * time.Millisecond }
	consume(t, w.bus, c)
	w.awaitCount(t, workStream, 0)
	if n := tries.Load(); n != 21 {
		t.Errorf("%d attempts, want 21", n)
	}
}
