package consume

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
)

// Run processes messages until ctx is done. It then stops requesting messages, lets handlers finish
// within c.Drain, returns the other messages to the stream, and returns nil. It returns an error if
// the consumer cannot be created, and attempt.ErrAbandoned, after draining in the same way, if the
// process should be restarted. It returns bus.ErrForbidden if this user is not allowed to request
// messages.
func (r *Runner) Run(ctx context.Context, c bus.Consumer) error {
	c = withDefaults(c)
	from := newDurables(r.bus, c)
	var began position
	err := r.retried(ctx, c, func() (err error) { began, err = from.newest(ctx); return err })
	if err == nil {
		err = r.retried(ctx, c, func() error { return from.declare(ctx, began) })
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("consumer %s on stream %s: %w", c.Name, c.Stream, err)
	}

	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(c.Drain, stop)
		context.AfterFunc(working, func() { timer.Stop() })
	})()

	w := &consumerRun{
		Runner: r, consumer: c, end: end, durables: from, watchdog: newWatchdog(r, from, began),
		attempts: newLog(r.bus, c, began.sequence, r.log), shares: newShares(c.Share),
		limiter: attempt.NewLimiter(attempt.Limits{Parallel: c.Parallel, Memory: c.Memory, Abandoned: c.Abandoned, AbandonedFor: c.AbandonedFor},
			r.metrics.abandoned.WithLabelValues(c.Name, c.Area), end),
	}
	var workers sync.WaitGroup
	workers.Go(func() { w.watchdog.watch(ctx) })
	for range c.Parallel {
		workers.Go(func() { w.take(ctx, working) })
	}
	workers.Wait()
	switch err := context.Cause(ctx); {
	case errors.Is(err, bus.ErrForbidden):
		return fmt.Errorf("consumer %s on stream %s: %w", c.Name, c.Stream, err)
	case errors.Is(err, attempt.ErrAbandoned):
		r.log.Error().Str("consumer", c.Name).Int64("abandoned", w.limiter.Abandoned()).
			Msg("attempts do not return; this process accepts no more work and should be restarted")
		return fmt.Errorf("consumer %s: %w", c.Name, err)
	}
	return nil
}

// withDefaults applies the defaults that bus.Consumer documents.
func withDefaults(c bus.Consumer) bus.Consumer {
	c.Parallel = max(c.Parallel, 1)
	if c.Share <= 0 {
		c.Share = c.Parallel
	}
	if c.Lease <= 0 {
		c.Lease = 30 * time.Second
	}
	if c.Attempts <= 0 {
		c.Attempts = 12
	}
	if c.Backoff == nil {
		c.Backoff = doubling
	}
	if c.Drain <= 0 {
		c.Drain = 10 * time.Second
	}
	if c.Bounds == nil {
		c.Bounds = func(*bus.Delivery) bus.Bounds { return bus.Bounds{} }
	}
	if c.Abandoned <= 0 {
		c.Abandoned = 8
	}
	if c.AbandonedFor <= 0 {
		c.AbandonedFor = 5 * time.Minute
	}
	if c.GiveUp == nil {
		c.GiveUp = func(context.Context, bus.Delivery, error) (time.Time, error) { return time.Time{}, nil }
	}
	return c
}

func doubling(attempt int) time.Duration {
	const most = 5 * time.Minute
	return min(time.Second<<min(max(attempt-1, 0), 16), most)
}

// retried calls f until it succeeds, ctx is done, or a retry cannot succeed.
func (r *Runner) retried(ctx context.Context, c bus.Consumer, f func() error) error {
	for {
		err := f()
		if !unavailable(err) || ctx.Err() != nil {
			return err
		}
		r.log.Warn().Err(err).Str("consumer", c.Name).Msg("cannot declare the consumer; retrying")
		pause(ctx)
	}
}

// Error codes of the server, from its errors.json: its cluster has no leader; a
// consumer could not be created, or was removed before the server could report it.
const (
	codeNoLeader   jetstream.ErrorCode = 10008
	codeNotCreated jetstream.ErrorCode = 10012
)

// unavailable reports whether the server did not respond, its cluster has no leader, or
// it could not create a consumer for an internal reason; a retry may succeed.
func unavailable(err error) bool {
	if api, refused := errors.AsType[*jetstream.APIError](err); refused {
		return api.ErrorCode == codeNoLeader || api.ErrorCode == codeNotCreated
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
}
