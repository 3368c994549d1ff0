package bus_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

func TestDrainLetsTheWorkInHandFinish(t *testing.T) {
	w := open(t)
	w.publish(t, uploaded("f1"), uploaded("f2"))
	started, finish := make(chan string, 2), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	c := consumer(func(ctx context.Context, d bus.Delivery) error {
		started <- d.Item
		select {
		case <-finish:
			return nil
		case <-ctx.Done():
			return errors.New("the work in hand was cut short")
		}
	})
	c.Drain = patience
	ended := make(chan error, 1)
	go func() { ended <- w.bus.Consume(ctx, c) }()
	item := next(t, started, "work")
	cancel()
	close(finish)
	if err := next(t, ended, "end"); err != nil {
		t.Error(err)
	}
	w.awaitCount(t, workStream, 1)
	if len(started) != 0 {
		t.Errorf("after %s more was taken during the drain", item)
	}
}

func TestWorkBeyondTheDrainComesAtOnceToAnother(t *testing.T) {
	w := open(t)
	w.publish(t, uploaded("f1"))
	started, deadline := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	// Lease and backoff are far longer than the test may take.
	c := consumer(func(ctx context.Context, d bus.Delivery) error {
		close(started)
		<-ctx.Done()
		close(deadline)
		return ctx.Err()
	})
	c.Lease, c.Drain = time.Hour, 50*time.Millisecond
	c.Backoff = func(int) time.Duration { return time.Hour }
	ended := make(chan error, 1)
	go func() { ended <- w.bus.Consume(ctx, c) }()
	next(t, started, "work")
	cancel()
	next(t, deadline, "end of the drain")
	if err := next(t, ended, "end"); err != nil {
		t.Error(err)
	}
	again := make(chan int, 1)
	other := consumer(func(_ context.Context, d bus.Delivery) error { again <- d.Attempt; return nil })
	other.Lease = time.Hour
	consume(t, connect(t, w.url, bus.Config{}), other)
	if attempt := next(t, again, "delivery to another"); attempt != 1 {
		t.Errorf("attempt %d, want 1: a worker that is told to stop made none", attempt)
	}
	w.awaitCount(t, workStream, 0)
	if n := w.count(t, bus.StreamDead); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

// However often its workers are told to stop, a message has all its attempts; and
// those that were made and failed between the stops are counted.
func TestGivenBackIsNoAttempt(t *testing.T) {
	w := open(t)
	w.publish(t, uploaded("f1"))
	const attempts = 3
	for try := range 3 * attempts {
		started, fails := make(chan int, attempts), try == attempts
		ctx, cancel := context.WithCancel(t.Context())
		c := consumer(func(ctx context.Context, d bus.Delivery) error {
			started <- d.Attempt
			if fails && d.Attempt == 1 {
				return errFlaky
			}
			<-ctx.Done()
			return ctx.Err()
		})
		c.Lease, c.Drain, c.Attempts = time.Hour, time.Millisecond, attempts
		ended := make(chan error, 1)
		go func() { ended <- connect(t, w.url, bus.Config{}).Consume(ctx, c) }()
		want := 1
		if try > attempts {
			want = 2
		}
		if attempt := next(t, started, "work"); attempt != want {
			t.Errorf("start %d: attempt %d, want %d", try, attempt, want)
		}
		if fails {
			next(t, started, "work after a failure")
		}
		cancel()
		if err := next(t, ended, "end"); err != nil {
			t.Error(err)
		}
	}
	done := make(chan int, 1)
	consume(t, w.bus, consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Attempt; return nil }))
	if attempt := next(t, done, "work"); attempt != 2 {
		t.Errorf("attempt %d, want 2", attempt)
	}
	w.awaitCount(t, workStream, 0)
	if n := w.count(t, bus.StreamDead); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

func TestIdleConsumerEndsWithItsContext(t *testing.T) {
	w := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	c := consumer(func(context.Context, bus.Delivery) error { return nil })
	c.Drain, c.Parallel = time.Hour, 4
	go func() { ended <- w.bus.Consume(ctx, c) }()
	eventually(t, func() error {
		d, err := w.js.Consumer(t.Context(), workStream, "worker-0")
		if err == nil && d.CachedInfo().NumWaiting < 4 {
			err = errors.New("not all places wait for work")
		}
		return err
	})
	cancel()
	if err := next(t, ended, "end"); err != nil {
		t.Error(err)
	}
}

func TestConsumeEndsWellWhenStoppedBeforeItBegan(t *testing.T) {
	w := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.bus.Consume(ctx, consumer(func(context.Context, bus.Delivery) error { return nil })); err != nil {
		t.Error(err)
	}
}

// A message that arrives in the moment of the stop must not be thrown away: it
// would be away for its lease, which is an hour here.
func TestStoppingLeavesNoMessageToItsLease(t *testing.T) {
	w := open(t)
	const items = 200
	for i := range items {
		w.publish(t, uploaded(strconv.Itoa(i)))
	}
	done := make(chan string, items)
	c := consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil })
	c.Lease, c.Parallel = time.Hour, 4
	for handled := 0; handled < items; {
		stop := consume(t, w.bus, c)
		next(t, done, "item")
		stop()
		handled++
		for range len(done) {
			<-done
			handled++
		}
	}
	w.awaitCount(t, workStream, 0)
}
