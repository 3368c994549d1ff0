package consume_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

func TestHandledMessageIsAcknowledged(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	seen := make(chan bus.Delivery, 1)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		seen <- d
		return nil
	}))
	d := bustest.Next(t, seen, "delivery")
	if d.Attempt != 1 {
		t.Errorf("the first delivery is attempt %d, want 1", d.Attempt)
	}
	if d.ID != "file.uploaded/f1/e1" || d.Type != "assay.v1.FileUploaded" || d.Item != "f1" || d.Owner != "ann" ||
		d.Source != "/test" || !d.Time.Equal(bustest.When()) || d.Subject != "assay.file.uploaded.f1" || d.Sequence != 1 {
		t.Errorf("got %+v, want the published event", d)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want 0", n)
	}
}

func TestFailedAttemptIsRetriedAfterItsBackoff(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	const pause = 80 * time.Millisecond
	backoffs := make(chan int, 1)
	started := make(chan time.Time, 2)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		started <- time.Now()
		if d.Attempt == 1 {
			return errFlaky
		}
		return nil
	})
	c.Backoff = func(attempt int) time.Duration { backoffs <- attempt; return pause }
	bustest.Consume(t, w.Bus, c)
	first := bustest.Next(t, started, "first attempt")
	if attempt := bustest.Next(t, backoffs, "backoff"); attempt != 1 {
		t.Errorf("Backoff was called with attempt %d, want 1", attempt)
	}
	if waited := bustest.Next(t, started, "second attempt").Sub(first); waited < pause {
		t.Errorf("the second attempt began after %s, want at least %s", waited, pause)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestBackoffDoesNotDelayOthers checks that messages that wait for their backoff do not delay
// others.
func TestBackoffDoesNotDelayOthers(t *testing.T) {
	w := bustest.Open(t)
	const flaky = 20
	for i := range flaky {
		w.Publish(t, bustest.Uploaded(fmt.Sprint("flaky", i)))
	}
	w.Publish(t, bustest.Uploaded("good"))
	done := make(chan string, 1)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		if d.Item != "good" {
			return errFlaky
		}
		done <- d.Item
		return nil
	})
	c.Backoff = func(int) time.Duration { return time.Hour }
	bustest.Consume(t, w.Bus, c)
	bustest.Next(t, done, "item after those that wait")
	w.AwaitCount(t, bustest.WorkStream, flaky)
}

func TestAttemptsAreNumberedAcrossConsumers(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	attempts := make(chan int, 8)
	handle := func(_ context.Context, d bus.Delivery) error {
		attempts <- d.Attempt
		if d.Attempt < 3 {
			return errFlaky
		}
		return nil
	}
	bustest.Consume(t, w.Bus, bustest.Consumer(handle))
	bustest.Consume(t, bustest.Connect(t, w.URL, bus.Config{}), bustest.Consumer(handle))
	var got []int
	for range 3 {
		got = append(got, bustest.Next(t, attempts, "attempt"))
	}
	if !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("got attempts %v, want 1, 2 and 3", got)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

func TestWorkLongerThanItsLeaseIsDeliveredOnce(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("long"))
	const lease = time.Second
	deliveries := make(chan bus.Delivery, 8)
	over := make(chan struct{})
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		deliveries <- d
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.Lease, c.Parallel = lease, 2
	bustest.Consume(t, w.Bus, c)
	first := bustest.Next(t, deliveries, "delivery")
	select {
	case again := <-deliveries:
		t.Fatalf("attempt %d began while attempt %d was running", again.Attempt, first.Attempt)
	case <-time.After(2 * lease):
	}
	close(over)
	w.AwaitCount(t, bustest.WorkStream, 0)
}

func TestTakenOverMessageIsNotSettled(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	const lease = time.Second
	started := make(chan time.Time, 8)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		started <- time.Now()
		if d.Attempt == 1 {
			return fmt.Errorf("claim: %w", bus.ErrTakenOver)
		}
		return nil
	})
	c.Lease = lease
	bustest.Consume(t, w.Bus, c)
	first := bustest.Next(t, started, "delivery")
	if n := w.Count(t, bustest.WorkStream); n != 1 {
		t.Fatalf("got %d messages, want only the one that was taken over", n)
	}
	// The lease began shortly before the call of the handler.
	if waited := bustest.Next(t, started, "delivery after the lease").Sub(first); waited < lease/2 {
		t.Errorf("the message was redelivered after %s, want at least %s", waited, lease/2)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want 0", n)
	}
}

func TestConsumersOfOneNameShareTheWork(t *testing.T) {
	w := bustest.Open(t)
	const items = 40
	for i := range items {
		w.Publish(t, bustest.Uploaded(fmt.Sprintf("f%02d", i)))
	}
	// Every handler waits until each consumer has received an item.
	type taken struct {
		by   int
		item string
	}
	work, all := make(chan taken, items), make(chan struct{})
	for by := range 3 {
		c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
			work <- taken{by, d.Item}
			select {
			case <-all:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		c.Parallel, c.Drain = 2, time.Millisecond
		bustest.Consume(t, bustest.Connect(t, w.URL, bus.Config{}), c)
	}
	times, by := map[string]int{}, map[int]int{}
	for range items {
		one := bustest.Next(t, work, "item")
		times[one.item]++
		if by[one.by]++; by[one.by] == 1 && len(by) == 3 {
			close(all)
		}
	}
	if len(times) != items {
		t.Errorf("%d items were processed, want %d, each once", len(times), items)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

func TestConsumerOnUnknownStreamIsAnError(t *testing.T) {
	w := bustest.Open(t)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return errors.New("never called") })
	c.Stream = "NOWHERE"
	if err := bustest.Runner(t, w.Bus).Run(t.Context(), c); err == nil {
		t.Error("Run on an unknown stream: got no error, want one")
	}
}

var errFlaky = errors.New("the disk was busy")
