package consume_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

func TestDrainWaitsForWorkInProgress(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"), bustest.Uploaded("f2"))
	started, finish := make(chan string, 2), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		started <- d.Item
		select {
		case <-finish:
			return nil
		case <-ctx.Done():
			return errors.New("the work in progress was interrupted")
		}
	})
	c.Drain = bustest.Patience
	ended := make(chan error, 1)
	go func() { ended <- bustest.Runner(t, w.Bus).Run(ctx, c) }()
	item := bustest.Next(t, started, "work")
	cancel()
	close(finish)
	if err := bustest.Next(t, ended, "end"); err != nil {
		t.Error(err)
	}
	w.AwaitCount(t, bustest.WorkStream, 1)
	if len(started) != 0 {
		t.Errorf("got another message after %s during the drain, want none", item)
	}
}

func TestWorkBeyondTheDrainIsRedeliveredImmediately(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	started, deadline := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	// Lease and backoff are far longer than the test takes.
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		close(started)
		<-ctx.Done()
		close(deadline)
		return ctx.Err()
	})
	c.Lease, c.Drain = time.Hour, 50*time.Millisecond
	c.Backoff = func(int) time.Duration { return time.Hour }
	ended := make(chan error, 1)
	go func() { ended <- bustest.Runner(t, w.Bus).Run(ctx, c) }()
	bustest.Next(t, started, "work")
	cancel()
	bustest.Next(t, deadline, "end of the drain")
	if err := bustest.Next(t, ended, "end"); err != nil {
		t.Error(err)
	}
	again := make(chan int, 1)
	other := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { again <- d.Attempt; return nil })
	other.Lease = time.Hour
	bustest.Consume(t, bustest.Connect(t, w.URL, bus.Config{}), other)
	if attempt := bustest.Next(t, again, "delivery to another worker"); attempt != 1 {
		t.Errorf("got attempt %d, want 1, because the stopped worker made no attempt", attempt)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want 0", n)
	}
}

// TestReturnedMessageDoesNotCountAsAttempt checks that a message has all its attempts regardless
// of how often its workers are stopped, and that attempts that failed between the stops are
// counted.
func TestReturnedMessageDoesNotCountAsAttempt(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	const attempts = 3
	for try := range 3 * attempts {
		started, fails := make(chan int, attempts), try == attempts
		ctx, cancel := context.WithCancel(t.Context())
		c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
			started <- d.Attempt
			if fails && d.Attempt == 1 {
				return errFlaky
			}
			<-ctx.Done()
			return ctx.Err()
		})
		c.Lease, c.Drain, c.Attempts = time.Hour, time.Millisecond, attempts
		ended := make(chan error, 1)
		go func() { ended <- bustest.Runner(t, bustest.Connect(t, w.URL, bus.Config{})).Run(ctx, c) }()
		want := 1
		if try > attempts {
			want = 2
		}
		if attempt := bustest.Next(t, started, "work"); attempt != want {
			t.Errorf("start %d: got attempt %d, want %d", try, attempt, want)
		}
		if fails {
			bustest.Next(t, started, "work after a failure")
		}
		cancel()
		if err := bustest.Next(t, ended, "end"); err != nil {
			t.Error(err)
		}
	}
	done := make(chan int, 1)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Attempt; return nil }))
	if attempt := bustest.Next(t, done, "work"); attempt != 2 {
		t.Errorf("got attempt %d, want 2", attempt)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want 0", n)
	}
}

func TestIdleConsumerEndsWithItsContext(t *testing.T) {
	w := bustest.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return nil })
	c.Drain, c.Parallel = time.Hour, 4
	go func() { ended <- bustest.Runner(t, w.Bus).Run(ctx, c) }()
	bustest.Eventually(t, func() error {
		d, err := w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0")
		if err == nil && d.CachedInfo().NumWaiting < 4 {
			err = errors.New("not all workers wait for work")
		}
		return err
	})
	cancel()
	if err := bustest.Next(t, ended, "end"); err != nil {
		t.Error(err)
	}
}

func TestRunReturnsWithACanceledContext(t *testing.T) {
	w := bustest.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := bustest.Runner(t, w.Bus).Run(ctx, bustest.Consumer(func(context.Context, bus.Delivery) error { return nil })); err != nil {
		t.Error(err)
	}
}

// TestStopReturnsArrivingMessages checks that a message that arrives during the stop is not
// dropped, because it would be redelivered only after its lease, which is an hour here.
func TestStopReturnsArrivingMessages(t *testing.T) {
	w := bustest.Open(t)
	const items = 200
	for i := range items {
		w.Publish(t, bustest.Uploaded(strconv.Itoa(i)))
	}
	done := make(chan string, items)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil })
	c.Lease, c.Parallel = time.Hour, 4
	for handled := 0; handled < items; {
		stop := bustest.Consume(t, w.Bus, c)
		bustest.Next(t, done, "item")
		stop()
		handled++
		for range len(done) {
			<-done
			handled++
		}
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}
