package bus_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

// A delivery that is delayed is no attempt: after any number of them the message has all
// of its attempts.
func TestLaterUsesNoAttempt(t *testing.T) {
	w := open(t)
	const delays = 5
	attempts := make(chan int, 20)
	calls := 0
	c := consumer(func(_ context.Context, d bus.Delivery) error {
		attempts <- d.Attempt
		if calls++; calls <= delays {
			return fmt.Errorf("convert: %w", bus.Later(errors.New("the provider is away"), time.Millisecond))
		}
		return errFlaky
	})
	c.Attempts = 2
	consume(t, w.bus, c)
	w.publish(t, uploaded("f1"))
	for _, want := range []int{1, 1, 1, 1, 1, 1, 2} {
		if got := next(t, attempts, "attempt"); got != want {
			t.Errorf("attempt %d, want %d", got, want)
		}
	}
	w.awaitCount(t, workStream, 0)
	if n := len(w.dead(t)); n != 1 {
		t.Errorf("%d dead letters, want 1", n)
	}
}

// A permanent error is not delayed, whatever it wraps.
func TestPermanentIsNotDelayed(t *testing.T) {
	w := open(t)
	consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error {
		return bus.Permanent(bus.Later(errFlaky, time.Hour))
	}))
	w.publish(t, uploaded("f1"))
	w.awaitCount(t, workStream, 0)
}

// While a gate is closed no message is requested, none is in work, and none uses an
// attempt; and that is no stall.
func TestGateHoldsRequests(t *testing.T) {
	w, recreated := counted(t)
	opened := make(chan struct{})
	var waiting, handled atomic.Int64
	c := consumer(func(_ context.Context, d bus.Delivery) error {
		if d.Attempt != 1 {
			t.Errorf("attempt %d", d.Attempt)
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
	consume(t, w.bus, c)
	w.publish(t, uploaded("f1"), uploaded("f2"))
	eventually(t, func() error {
		if n := waiting.Load(); n != 2 {
			return fmt.Errorf("%d workers wait at the gate, want 2", n)
		}
		return nil
	})
	<-time.After(5 * c.Lease) // more than a stall needs to be noticed
	info, err := w.js.Consumer(t.Context(), workStream, "worker-0")
	if err != nil {
		t.Fatal(err)
	}
	if got := info.CachedInfo(); got.NumAckPending != 0 || got.NumPending != 2 || handled.Load() != 0 {
		t.Errorf("%d messages in work, %d waiting, %d handled; want 0, 2 and 0", got.NumAckPending, got.NumPending, handled.Load())
	}
	if n := recreated("stalled"); n != 0 {
		t.Errorf("counted as stalled %v times", n)
	}
	close(opened)
	w.awaitCount(t, workStream, 0)
}

// A gate that is closed does not keep Consume from ending.
func TestClosedGateEndsWithConsume(t *testing.T) {
	w := open(t)
	reached := make(chan struct{}, 1)
	c := consumer(func(context.Context, bus.Delivery) error { return nil })
	c.Gate = func(ctx context.Context) error {
		select {
		case reached <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}
	stop := consume(t, w.bus, c)
	next(t, reached, "worker at the gate")
	stop()
}
