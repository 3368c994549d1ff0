package consume_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestLaterUsesNoAttempt checks that a delayed delivery does not count as an attempt.
func TestLaterUsesNoAttempt(t *testing.T) {
	w := bustest.Open(t)
	const delays = 5
	attempts := make(chan int, 20)
	calls := 0
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		attempts <- d.Attempt
		if calls++; calls <= delays {
			return fmt.Errorf("convert: %w", bus.Later(errors.New("the provider is unavailable"), time.Millisecond))
		}
		return errFlaky
	})
	c.Attempts = 2
	bustest.Consume(t, w.Bus, c)
	w.Publish(t, bustest.Uploaded("f1"))
	for _, want := range []int{1, 1, 1, 1, 1, 1, 2} {
		if got := bustest.Next(t, attempts, "attempt"); got != want {
			t.Errorf("got attempt %d, want %d", got, want)
		}
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := len(w.Dead(t)); n != 1 {
		t.Errorf("got %d dead letters, want 1", n)
	}
}

// TestPermanentIsNotDelayed checks that a permanent error is not delayed, even if it wraps a
// delayed one.
func TestPermanentIsNotDelayed(t *testing.T) {
	w := bustest.Open(t)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error {
		return bus.Permanent(bus.Later(errFlaky, time.Hour))
	}))
	w.Publish(t, bustest.Uploaded("f1"))
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestClosedGateStopsRequests checks that no message is requested or in progress while a gate is
// closed, that no attempts are used, and that this does not count as a stall.
func TestClosedGateStopsRequests(t *testing.T) {
	w, runner, recreated := counted(t)
	opened := make(chan struct{})
	var waiting, handled atomic.Int64
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		if d.Attempt != 1 {
			t.Errorf("got attempt %d, want 1", d.Attempt)
		}
		handled.Add(1)
		return nil
	})
	c.Parallel, c.Lease = 2, 300*time.Millisecond
	c.Gate = func(ctx context.Context) error {
		waiting.Add(1)
		defer waiting.Add(-1)
		select {
		case <-opened:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	bustest.ConsumeWith(t, runner, c)
	w.Publish(t, bustest.Uploaded("f1"), bustest.Uploaded("f2"))
	bustest.Eventually(t, func() error {
		if n := waiting.Load(); n != 2 {
			return fmt.Errorf("%d workers wait at the gate, want 2", n)
		}
		return nil
	})
	<-time.After(5 * c.Lease) // longer than it takes to detect a stall
	info, err := w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0")
	if err != nil {
		t.Fatal(err)
	}
	if got := info.CachedInfo(); got.NumAckPending != 0 || got.NumPending != 2 || handled.Load() != 0 {
		t.Errorf("got %d messages in progress, %d waiting, %d handled; want 0, 2 and 0", got.NumAckPending, got.NumPending, handled.Load())
	}
	if n := recreated("stalled"); n != 0 {
		t.Errorf("the consumer was counted as stalled %v times, want 0", n)
	}
	close(opened)
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestRunReturnsDespiteAClosedGate checks that a closed gate does not prevent Run from
// returning.
func TestRunReturnsDespiteAClosedGate(t *testing.T) {
	w := bustest.Open(t)
	reached := make(chan struct{}, 1)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return nil })
	c.Gate = func(ctx context.Context) error {
		select {
		case reached <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}
	stop := bustest.Consume(t, w.Bus, c)
	bustest.Next(t, reached, "worker at the gate")
	stop()
}
