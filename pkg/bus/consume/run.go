// Package consume runs the consumers of a bus (run.go). Each of a consumer's workers requests one
// message at a time (take.go), calls the handler within its bounds, and settles the message
// according to the handler's result (handle.go): it is acknowledged, redelivered, or stored as a
// dead letter. A watchdog recreates consumers that have disappeared from the server.
//
// Package fair defines the order of the priorities; package attempt limits the attempts, and log.go
// counts them.
package consume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
)

// Runner runs consumers. It is safe for concurrent use.
type Runner struct {
	bus     *bus.Bus
	log     zerolog.Logger
	metrics metrics
}

// New returns a Runner. It registers its metrics once for all consumers; reg may be nil.
func New(b *bus.Bus, log zerolog.Logger, reg prometheus.Registerer) *Runner {
	return &Runner{bus: b, log: log, metrics: newMetrics(reg, b.Source())}
}

// Run processes messages until ctx is done. It then stops requesting messages, lets handlers finish
// within c.Drain, returns the other messages to the stream, and returns nil. It returns an error if
// the consumer cannot be created, and attempt.ErrAbandoned, after draining in the same way, if the
// process should be restarted. It returns bus.ErrForbidden if this user is not allowed to request
// messages.
func (r *Runner) Run(ctx context.Context, c bus.Consumer) error {
	c = withDefaults(c)
	r.metrics.expect(c)
	durables := newDurables(r.bus, c)
	var began *jetstream.StreamInfo
	err := r.retried(ctx, c, func() error {
		stream, err := r.bus.JS.Stream(ctx, c.Stream)
		if err != nil {
			return err
		}
		began = stream.CachedInfo()
		return durables.declare(ctx)
	})
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
		Runner: r, consumer: c, end: end, durables: durables, queue: began.Config.Retention == jetstream.WorkQueuePolicy,
		activity: activity{began: time.Now(), clock: began.TimeStamp},
		attempts: newLog(r.bus, c, began.State.LastSeq, r.log), shares: &shares{most: c.Share, of: map[string]*share{}},
		limiter: attempt.NewLimiter(attempt.Limits{Parallel: c.Parallel, Memory: c.Memory, Abandoned: c.Abandoned, AbandonedFor: c.AbandonedFor},
			r.metrics.abandoned.WithLabelValues(c.Name, c.Area), end),
	}
	if newest := began.State.LastTime; newest.After(w.clock) {
		w.clock = newest // the clock has been stepped back since
	}
	var workers sync.WaitGroup
	workers.Go(func() { w.watch(ctx) })
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
	c.Share = cmp.Or(max(c.Share, 0), c.Parallel)
	c.Lease = cmp.Or(max(c.Lease, 0), 30*time.Second)
	c.Attempts = cmp.Or(max(c.Attempts, 0), 12)
	c.Leave = cmp.Or(max(c.Leave, 0), 24*time.Hour)
	c.Drain = cmp.Or(max(c.Drain, 0), 10*time.Second)
	c.Abandoned = cmp.Or(max(c.Abandoned, 0), 8)
	c.AbandonedFor = cmp.Or(max(c.AbandonedFor, 0), 5*time.Minute)
	if c.Backoff == nil {
		c.Backoff = func(attempt int) time.Duration { return min(time.Second<<min(max(attempt-1, 0), 16), 5*time.Minute) }
	}
	if c.Bounds == nil {
		c.Bounds = func(*bus.Delivery) bus.Bounds { return bus.Bounds{} }
	}
	if c.GiveUp == nil {
		c.GiveUp = func(context.Context, bus.Delivery, error) (bus.Failure, error) { return bus.Failure{}, nil }
	}
	return c
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

// codeNotCreated is the server's code for a consumer that could not be created, or was removed before the server could report it.
const codeNotCreated jetstream.ErrorCode = 10012

// unavailable reports whether the server did not respond, its cluster has no leader, or
// it could not create a consumer for an internal reason; a retry may succeed.
func unavailable(err error) bool {
	if api, refused := errors.AsType[*jetstream.APIError](err); refused {
		return api.ErrorCode == bus.CodeNoLeader || api.ErrorCode == codeNotCreated
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
}

// pause waits before a rejected or unanswered request is retried.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

type metrics struct {
	attempts  *prometheus.HistogramVec
	inFlight  *prometheus.GaugeVec
	abandoned *prometheus.GaugeVec
	recreated *prometheus.CounterVec
}

// newMetrics registers the collectors under the service's name, since the
// services of one process share a registry.
func newMetrics(reg prometheus.Registerer, service string) metrics {
	factory := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"service": service}, reg))
	return metrics{
		attempts: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_attempt_duration_seconds", Help: "Duration of consumers' attempts, by outcome (done, retry, given_up: it became a dead letter, rejected: its content cannot be processed, returned, taken_over, delayed, left: to a process of a newer version); the count is the number of attempts.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 10),
		}, []string{"consumer", "area", "outcome"}),
		inFlight: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_work_in_flight", Help: "Deliveries in progress.",
		}, []string{"consumer", "area"}),
		abandoned: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_attempts_abandoned", Help: "Attempts that exceeded their time limit and have not returned.",
		}, []string{"consumer", "area"}),
		recreated: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_consumer_recreated_total", Help: "Consumers recreated while their process ran, by cause (missing; stalled: messages wait and none is delivered; clock: the server's clock was stepped back).",
		}, []string{"consumer", "cause"}),
	}
}

// expect creates the series of a consumer, so that they are 0 before the first message.
func (m metrics) expect(c bus.Consumer) {
	for _, outcome := range outcomes() {
		m.attempts.WithLabelValues(c.Name, c.Area, outcome)
	}
	m.inFlight.WithLabelValues(c.Name, c.Area)
	m.abandoned.WithLabelValues(c.Name, c.Area)
	for _, cause := range []string{causeMissing, causeStalled, causeClock} {
		m.recreated.WithLabelValues(c.Name, cause)
	}
}
