package consume

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/attribute"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

// Outcomes of an attempt, in logs and metrics.
const (
	outcomeDone      = "done"
	outcomeRetry     = "retry"
	outcomeGivenUp   = "given_up"
	outcomeRejected  = "rejected" // given up without a dead letter
	outcomeReturned  = "returned"
	outcomeTakenOver = "taken_over"
	outcomeDelayed   = "delayed"
	outcomeLeft      = "left" // to a process of a newer version
)

// outcomes returns all outcomes of an attempt.
func outcomes() []string {
	return []string{outcomeDone, outcomeRetry, outcomeGivenUp, outcomeRejected, outcomeReturned, outcomeTakenOver, outcomeDelayed, outcomeLeft}
}

// consumerRun is one call of Run.
type consumerRun struct {
	*Runner
	consumer bus.Consumer
	limiter  *attempt.Limiter
	attempts *attemptLog
	shares   *shares
	durables *durables
	queue    bool                    // whether acknowledged messages are removed from the stream
	leaving  leaving                 // messages that were left
	end      context.CancelCauseFunc // ends Run
	activity
}

// work runs one attempt and settles its message.
func (w *consumerRun) work(ctx context.Context, msg *nats.Msg) {
	c := w.consumer
	inFlight := w.metrics.inFlight.WithLabelValues(c.Name, c.Area)
	inFlight.Inc()
	defer inFlight.Dec()
	defer w.working()()
	started := time.Now()

	delivery, err := bus.ParseDelivery(msg)
	ctx, span := delivery.BeginTrace(ctx, c)
	stopRenewing := renew(msg, c.Lease)
	defer stopRenewing()
	try := &entry{}
	newer := w.newer(delivery)
	switch {
	case err != nil:
		err = bus.Permanent(fmt.Errorf("%w: %w", event.ErrUnreadable, err))
	case newer != nil:
		try, err = w.attempts.unbegun(delivery), newer
		delivery.Attempt = try.number
	default:
		try = w.attempts.begin(ctx, delivery)
		delivery.Attempt = try.number
		err = w.attempt(ctx, delivery)
	}
	outcome, settled := w.settle(ctx, msg, delivery, try, err)
	span.SetAttributes(attribute.Int("assay.attempt", delivery.Attempt), attribute.String("assay.outcome", outcome))
	if outcome == outcomeRejected || outcome == outcomeLeft { // neither a mistake of a client nor an upgrade is an error of the system
		obs.End(span, settled)
	} else {
		obs.End(span, errors.Join(err, settled))
	}
	try.end(ctx, outcome, err)

	took := time.Since(started)
	w.metrics.attempts.WithLabelValues(c.Name, c.Area, outcome).Observe(took.Seconds())
	log := obs.Log(ctx, w.log)
	line := log.Info()
	switch {
	case errors.Is(err, errShare):
		line = log.Debug().Err(err)
	case outcome == outcomeRejected:
		line = log.Info().Err(err)
	case outcome == outcomeLeft && !w.leaving.first(err.Error()):
		line = log.Debug().Err(err)
	case err != nil:
		line = log.Warn().Err(err)
	}
	if settled != nil {
		line = log.Error().AnErr("settle", settled).AnErr("cause", err)
	}
	if panicked, ok := errors.AsType[*attempt.PanicError](err); ok {
		line = line.Bytes("stack", panicked.Stack)
	}
	line.Str("consumer", c.Name).Str("area", c.Area).Str("id", delivery.Item).Str("event", delivery.ID).
		Int("attempt", delivery.Attempt).Dur("duration_ms", took).Str("outcome", outcome).Msg("attempt")
}

// attempt calls the handler within its bounds, unless no attempts are left because the last one
// ended without a result, or the tenant uses its share.
func (w *consumerRun) attempt(ctx context.Context, d bus.Delivery) error {
	if d.Attempt > w.consumer.Attempts {
		return bus.Permanent(&attempt.LostError{Attempts: w.consumer.Attempts})
	}
	release, err := w.shares.acquire(ctx, d.Tenant())
	if err != nil {
		return err
	}
	defer release()
	bounds := w.consumer.Bounds(&d)
	return w.limiter.Run(ctx, bounds.Time, bounds.Memory, func(ctx context.Context) error { return w.consumer.Handle(ctx, d) })
}

// giveUpTime limits GiveUp, which makes a few requests.
const giveUpTime = time.Minute

// brokenAttempts is the maximum number of attempts at a message whose handler panics or exceeds
// its time.
const brokenAttempts = 3

// broke reports whether err means that a handler panicked or exceeded its time.
func broke(err error) bool {
	_, panicked := errors.AsType[*attempt.PanicError](err)
	_, late := errors.AsType[*attempt.TimeError](err)
	return panicked || late
}

// minDelay prevents a busy loop if a handler delays by 0.
const minDelay = 10 * time.Millisecond

// settle acknowledges, delays, returns or gives up on the message. After an error the message
// is redelivered when its lease ends.
func (w *consumerRun) settle(ctx context.Context, msg *nats.Msg, d bus.Delivery, try *entry, err error) (string, error) {
	c := w.consumer
	newer := errors.Is(err, event.ErrNewer)
	if newer && !w.leavable(d) {
		newer, err = false, bus.Permanent(err)
	}
	switch {
	case err == nil:
		return outcomeDone, msg.Ack()
	case errors.Is(err, bus.ErrTakenOver):
		return outcomeTakenOver, nil
	case ctx.Err() != nil:
		if !broke(err) {
			try.revert(ctx, outcomeReturned, err)
		}
		return outcomeReturned, msg.Nak()
	}
	delay, delayed := bus.Delay(err)
	switch {
	case newer: // even if it is permanent for this process
		try.leave(ctx, err)
		return outcomeLeft, msg.NakWithDelay(w.leaving.pause(time.Now(), time.Since(d.Stored)))
	case delayed && d.Attempt <= c.Attempts:
		try.revert(ctx, outcomeDelayed, err)
		return outcomeDelayed, msg.NakWithDelay(max(delay, minDelay))
	case !bus.IsPermanent(err) && d.Attempt < c.Attempts && !(broke(err) && d.Attempt >= brokenAttempts):
		try.fail(ctx, outcomeRetry, err)
		return outcomeRetry, msg.NakWithDelay(c.Backoff(d.Attempt))
	}
	failed := make(chan bus.Failure, 1) // a channel, because an abandoned handler could still write to a captured variable
	giveUp := w.limiter.Run(ctx, giveUpTime, 0, func(ctx context.Context) error {
		f, failure := c.GiveUp(ctx, d, err)
		failed <- f
		return failure
	})
	outcome := outcomeGivenUp
	if giveUp == nil {
		if f := <-failed; f.Rejected {
			outcome = outcomeRejected
		} else {
			giveUp = w.bus.StoreDeadLetter(ctx, c.Name, c.Stream, d, described(f, d, err))
		}
	}
	if giveUp != nil {
		try.fail(ctx, outcomeRetry, giveUp)
		return outcomeRetry, errors.Join(giveUp, msg.NakWithDelay(c.Backoff(d.Attempt)))
	}
	return outcome, msg.Ack()
}

// renew renews the lease of msg until stop is called.
func renew(msg *nats.Msg, lease time.Duration) (stop func()) {
	done := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(max(lease/3, 1))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if msg.InProgress() != nil {
				return // a lost renewal causes repeated work at worst; the fence still protects the item
			}
		}
	})
	return func() { close(done); renewing.Wait() }
}
