package consume_test

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
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestBusyTenantDoesNotStarveOthers checks that many items of one owner do not delay the work of
// others: items published after thousands of its items are processed among the first.
func TestBusyTenantDoesNotStarveOthers(t *testing.T) {
	w := bustest.OpenAt(t, bustest.Open(t).URL, bus.Config{WorkMaxMessages: 10_000})
	const flood, others, each = 3000, 20, 3
	for i := range flood {
		w.Publish(t, bustest.UploadedBy("flood", fmt.Sprintf("flood-%d", i)))
	}
	for i := range others {
		for k := range each {
			w.Publish(t, bustest.UploadedBy(fmt.Sprintf("owner%d", i), fmt.Sprintf("small-%d-%d", i, k)))
		}
	}
	var place, lastSmall, small atomic.Int64
	all := make(chan struct{})
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
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
	bustest.Consume(t, w.Bus, c)
	bustest.Next(t, all, "end of the work")
	if small.Load() != others*each {
		t.Errorf("got %d small items, want %d", small.Load(), others*each)
	}
	// The highest priority gets half of the turns, and contains some items of the busy owner.
	if most := int64(3 * (others*each + 8)); lastSmall.Load() > most {
		t.Errorf("the last item of the others was the %dth, want it among the first %d of %d", lastSmall.Load(), most, flood)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestDoneWorkDoesNotCount checks that an owner that submits a few items sequentially keeps the
// highest priority regardless of earlier items, because completed items do not count.
func TestDoneWorkDoesNotCount(t *testing.T) {
	w := bustest.Open(t)
	done := make(chan string, 1)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil }))
	listen, err := w.NATS.SubscribeSync("assay.file.uploaded.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.NATS.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w.Publish(t, bustest.Uploaded(fmt.Sprint(i)))
		bustest.Next(t, done, "item")
		w.AwaitCount(t, bustest.WorkStream, 0)
		msg, err := listen.NextMsg(bustest.Patience)
		if err != nil {
			t.Fatal(err)
		}
		// The server is polled at most every 20 ms; until then the local count
		// applies.
		if stored := msg.Header.Get("Nats-Subject"); !strings.HasPrefix(stored, "assay-work.0.") && !strings.HasPrefix(stored, "assay-work.1.") {
			t.Fatalf("item %d was stored as %s, want one of the two highest priorities", i, stored)
		}
	}
}

// TestDoneWorkDoesNotCountForConcurrentItems is like TestDoneWorkDoesNotCount, for items
// published concurrently.
func TestDoneWorkDoesNotCountForConcurrentItems(t *testing.T) {
	w := bustest.Open(t)
	stop := bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { return nil }))
	for i := range 8 {
		w.Publish(t, bustest.Uploaded(fmt.Sprint(i)))
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	stop()
	var publishers sync.WaitGroup
	for i := range 7 {
		publishers.Go(func() {
			if err := w.Bus.Publish(t.Context(), bustest.Uploaded(fmt.Sprint("late", i))); err != nil {
				t.Error(err)
			}
		})
	}
	publishers.Wait()
	work, err := w.JS.Stream(t.Context(), bustest.WorkStream)
	if err != nil {
		t.Fatal(err)
	}
	info, err := work.Info(t.Context(), jetstream.WithSubjectFilter("assay-work.0.>"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(info.State.Subjects); n != 7 {
		t.Errorf("got %d items with the highest priority, want 7", n)
	}
}

// TestLowPrioritiesAreServed checks that tenants with little work do not starve the others: a
// lower priority gets its turn even if the highest is never empty.
func TestLowPrioritiesAreServed(t *testing.T) {
	w := bustest.Open(t)
	for i := range 9 { // the last one has the second priority
		w.Publish(t, bustest.UploadedBy("flood", fmt.Sprint("flood", i)))
	}
	n := 0
	small := func(ctx context.Context) error { // work of another owner, of the highest priority
		n++
		return w.Bus.Publish(ctx, bustest.UploadedBy(fmt.Sprint("owner", n), fmt.Sprint("small", n)))
	}
	for range 50 {
		if err := small(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	late := make(chan string, 1)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "flood8" {
			late <- d.Item
		}
		return small(ctx)
	}))
	bustest.Next(t, late, "item of the second priority")
}

// TestOneMessageInAllPriorities checks that an item has only one message, regardless of the
// priority of its owner at the time.
func TestOneMessageInAllPriorities(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f"))
	for i := range 100 { // the owner then has a lower priority
		w.Publish(t, bustest.Uploaded(fmt.Sprint(i)))
	}
	again := bustest.Uploaded("f")
	again.ID += "/again"
	if err := w.Bus.Publish(t.Context(), again); !errors.Is(err, bus.ErrOutstanding) {
		t.Errorf("a second event of the item: got error %v, want ErrOutstanding", err)
	}
	if err := w.Bus.Publish(t.Context(), bustest.Uploaded("f")); err != nil {
		t.Errorf("the same event again: got error %v, want nil", err)
	}
	if there, err := w.Bus.Outstanding(t.Context(), again.Subject, again.Tenant); err != nil || !there {
		t.Errorf("Outstanding = %v, error %v, want true", there, err)
	}
	w.AwaitCount(t, bustest.WorkStream, 101)
}

// TestLowPrioritiesAreFound checks that a worker that waits for the highest priority soon finds
// work that is only in a lower one, such as retried work.
func TestLowPrioritiesAreFound(t *testing.T) {
	w := bustest.Open(t)
	for i := range 20 {
		w.Publish(t, bustest.Uploaded(fmt.Sprint(i)))
	}
	var tries atomic.Int64
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		tries.Add(1)
		if d.Item == "19" && d.Attempt == 1 {
			return errFlaky
		}
		return nil
	})
	c.Backoff = func(int) time.Duration { return 500 * time.Millisecond }
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := tries.Load(); n != 21 {
		t.Errorf("got %d attempts, want 21", n)
	}
}
