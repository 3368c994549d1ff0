package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/pkg/bus/tail"
)

const (
	// retryPause is the wait between attempts to read the stream.
	retryPause = 250 * time.Millisecond
	// logPause is the minimum time between log lines of one outage.
	logPause = time.Minute
	// deadAfter is how long the stream may be unavailable before Check fails.
	deadAfter = 5 * time.Second
)

// errStarting is the error of Check until the stream has been read.
var errStarting = errors.New("no response yet from the outcome stream")

// outage is the start and cause of an interruption of the stream.
type outage struct {
	mu     sync.Mutex
	since  time.Time // zero while the stream is read
	cause  error
	logged time.Time
}

// Run reads the stream of outcomes until ctx ends. It logs the loss of its
// consumer and creates another one. It returns nil.
func (h *Hub) Run(ctx context.Context) error {
	var notifying sync.WaitGroup
	defer notifying.Wait()
	notifying.Go(func() { h.ring.notify(ctx) })
	for {
		err := h.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		h.stopped(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryPause):
		}
	}
}

// follow adds outcomes to the ring until its tail ends. It first loads the newest
// stored outcomes, so that readers that reconnect to a new process can resume from
// the ring.
func (h *Hub) follow(ctx context.Context) error {
	oldest, newest, err := tail.Bounds(ctx, h.bus)
	if err != nil {
		return err
	}
	_, after, _ := h.ring.bounds()
	if !h.isLoaded() {
		after = max(oldest-1, newest-min(newest, uint64(len(h.ring.entries))))
		h.ring.reset(after)
	}
	err = h.read(ctx, after, newest)
	if !errors.Is(err, tail.ErrGone) {
		return err
	}
	_, newest, boundsErr := tail.Bounds(ctx, h.bus)
	if boundsErr != nil {
		return boundsErr
	}
	h.ring.reset(newest)
	h.load()
	return fmt.Errorf("%w; resuming after %d", err, newest)
}

// read adds the outcomes after a position. The ring is loaded once it has the
// newest one.
func (h *Hub) read(ctx context.Context, after, newest uint64) error {
	outcomes, err := tail.Open(ctx, h.bus, h.log, after)
	if err != nil {
		return err
	}
	defer outcomes.Close()
	h.following()
	for {
		if after >= newest {
			h.load()
		}
		d, err := outcomes.Next()
		if err != nil {
			return err
		}
		h.ring.add(h.newEntry(d))
		after = d.Sequence
	}
}

func (h *Hub) isLoaded() bool {
	select {
	case <-h.loaded:
		return true
	default:
		return false
	}
}

func (h *Hub) stopped(err error) {
	o := &h.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since = time.Now()
		h.metrics.lost.Inc()
	}
	o.cause = err
	if time.Since(o.logged) >= logPause {
		o.logged = time.Now()
		h.log.Error().Err(err).Msg("live events stopped; resubscribing to the outcomes")
	}
}

func (h *Hub) following() {
	o := &h.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.logged.IsZero() {
		h.log.Info().Dur("outage_ms", time.Since(o.since)).Msg("live events resumed")
	}
	o.since, o.cause, o.logged = time.Time{}, nil, time.Time{}
}

// Check returns an error while live events are dead, for readiness.
func (h *Hub) Check(context.Context) error {
	o := &h.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() || time.Since(o.since) < deadAfter {
		return nil
	}
	return fmt.Errorf("no live events for %s: %w", time.Since(o.since).Round(time.Second), o.cause)
}

type metrics struct {
	readers prometheus.Gauge
	lost    prometheus.Counter
	resyncs prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) metrics {
	factory := promauto.With(reg)
	return metrics{
		readers: factory.NewGauge(prometheus.GaugeOpts{
			Name: "assay_live_readers", Help: "Open streams of live events.",
		}),
		lost: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_live_outages_total", Help: "How often the consumer of the outcome stream was lost.",
		}),
		resyncs: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_live_resyncs_total", Help: "Readers whose position was no longer in the stream.",
		}),
	}
}
