package consume_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// hang ignores its context; it returns once release is closed.
func hang(release <-chan struct{}) error {
	<-release
	return nil
}

// limited returns a consumer with four slots. Its items have a short time limit, except those
// whose names begin with good.
func limited(handle func(context.Context, bus.Delivery) error) bus.Consumer {
	c := bustest.Consumer(handle)
	c.Parallel = 4
	c.Bounds = func(d *bus.Delivery) bus.Bounds {
		if strings.HasPrefix(d.Item, "good") {
			return bus.Bounds{}
		}
		return bus.Bounds{Time: 100 * time.Millisecond}
	}
	return c
}

// TestHungAttemptsAreAbandoned checks that a handler that does not return loses its slot after its
// time limit, so that all other items are processed even with more such handlers than slots.
func TestHungAttemptsAreAbandoned(t *testing.T) {
	w := bustest.Open(t)
	release := make(chan struct{})
	defer close(release)
	const good, bad = 30, 5
	for i := range bad {
		w.Publish(t, bustest.Uploaded(fmt.Sprintf("bad%d", i)))
	}
	for i := range good {
		w.Publish(t, bustest.Uploaded(fmt.Sprintf("good%d", i)))
	}
	done, reasons := make(chan string, good), make(chan error, bad)
	c := limited(func(_ context.Context, d bus.Delivery) error {
		if d.Item[:3] == "bad" {
			return hang(release)
		}
		done <- d.Item
		return nil
	})
	c.Attempts, c.Abandoned = 1, bad
	c.GiveUp = func(_ context.Context, _ bus.Delivery, err error) (bus.Failure, error) {
		reasons <- err
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	for range good {
		bustest.Next(t, done, "good item")
	}
	for range bad {
		late, ok := errors.AsType[*attempt.TimeError](bustest.Next(t, reasons, "reason"))
		if !ok || late.Error() != "the attempt took longer than 100ms" {
			t.Errorf("got reason %v, want a TimeError", late)
		}
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := len(w.Dead(t)); n != bad {
		t.Errorf("got %d dead letters, want %d", n, bad)
	}
}

// TestTooManyHungAttemptsEndTheConsumer checks that the consumer returns an error if more than the
// allowed number of handlers are abandoned, because only a restart terminates them. Their messages
// stay in the stream.
func TestTooManyHungAttemptsEndTheConsumer(t *testing.T) {
	w := bustest.Open(t)
	release := make(chan struct{})
	defer close(release)
	w.Publish(t, bustest.Uploaded("bad"))
	c := limited(func(context.Context, bus.Delivery) error { return hang(release) })
	c.Abandoned = 1
	if err := bustest.Runner(t, w.Bus).Run(t.Context(), c); !errors.Is(err, attempt.ErrAbandoned) {
		t.Errorf("Run returned error %v, want ErrAbandoned", err)
	}
	if n := w.Count(t, bustest.WorkStream); n != 1 {
		t.Errorf("got %d messages, want only the one that has an attempt left", n)
	}
}

// TestLoopEndsTheConsumer checks that a handler in a busy loop uses a CPU for a limited time.
// After that time the consumer ends, and other deliveries in progress are returned without
// counting as attempts.
func TestLoopEndsTheConsumer(t *testing.T) {
	w := bustest.Open(t)
	var over atomic.Bool
	defer over.Store(true)
	w.Publish(t, bustest.Uploaded("loop"), bustest.Uploaded("other"))
	began := make(chan struct{})
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "loop" {
			for !over.Load() {
				runtime.Gosched()
			}
			return nil
		}
		close(began)
		<-ctx.Done()
		return ctx.Err()
	})
	c.Parallel, c.Lease, c.Drain, c.AbandonedFor = 2, time.Hour, time.Millisecond, 50*time.Millisecond
	c.Bounds = func(d *bus.Delivery) bus.Bounds {
		if d.Item == "loop" {
			<-began
			return bus.Bounds{Time: 10 * time.Millisecond}
		}
		return bus.Bounds{}
	}
	c.Backoff = func(int) time.Duration { return time.Hour }
	ended := make(chan error, 1)
	go func() { ended <- bustest.Runner(t, w.Bus).Run(t.Context(), c) }()
	if err := bustest.Next(t, ended, "end"); !errors.Is(err, attempt.ErrAbandoned) {
		t.Errorf("Run returned error %v, want ErrAbandoned", err)
	}
	again := make(chan bus.Delivery, 2)
	successor := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { again <- d; return nil })
	successor.Lease = time.Hour
	bustest.Consume(t, bustest.Connect(t, w.URL, bus.Config{}), successor)
	if d := bustest.Next(t, again, "delivery of the other item"); d.Item != "other" || d.Attempt != 1 {
		t.Errorf("got attempt %d at %s, want attempt 1 at the other item", d.Attempt, d.Item)
	}
	w.AwaitCount(t, bustest.WorkStream, 1) // the message of the looping handler remains for its retry
}

// TestLateAttemptsAreLimited checks that a handler that respects its context fails when its time
// limit is exceeded, at most three times.
func TestLateAttemptsAreLimited(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("slow"))
	attempts := make(chan int, 8)
	c := limited(func(ctx context.Context, d bus.Delivery) error {
		attempts <- d.Attempt
		<-ctx.Done()
		return ctx.Err()
	})
	c.Attempts = 12
	reasons := make(chan error, 1)
	c.GiveUp = func(_ context.Context, _ bus.Delivery, err error) (bus.Failure, error) {
		reasons <- err
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	err := bustest.Next(t, reasons, "reason")
	if _, late := errors.AsType[*attempt.TimeError](err); !late || len(attempts) != 3 {
		t.Errorf("got %d attempts and reason %v, want 3 and a TimeError", len(attempts), err)
	}
}

// TestMemoryIsShared checks that attempts that need much memory wait for each other, and that
// attempts that need little memory do not wait for them.
func TestMemoryIsShared(t *testing.T) {
	w := bustest.Open(t)
	for i := range 4 {
		w.Publish(t, bustest.Uploaded(fmt.Sprintf("large%d", i)))
	}
	began, goOn := make(chan string, 8), make(chan struct{})
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		began <- d.Item
		if d.Item[:5] != "large" {
			return nil
		}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.Parallel, c.Memory = 6, 120
	c.Bounds = func(d *bus.Delivery) bus.Bounds {
		if d.Item[:5] == "large" {
			return bus.Bounds{Memory: 30} // two of them fit into one half of the memory
		}
		return bus.Bounds{Memory: 10}
	}
	bustest.Consume(t, w.Bus, c)
	for range 2 {
		bustest.Next(t, began, "large item")
	}
	for i := range 3 {
		w.Publish(t, bustest.Uploaded(fmt.Sprintf("small%d", i)))
		if item := bustest.Next(t, began, "small item"); item[:5] != "small" {
			t.Fatalf("while two large items were running: got %s, want a small item", item)
		}
	}
	for range 2 {
		goOn <- struct{}{}
		bustest.Next(t, began, "large item that waited")
	}
	close(goOn)
	w.AwaitCount(t, bustest.WorkStream, 0)
}
