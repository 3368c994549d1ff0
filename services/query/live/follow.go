package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/pkg/bus"
)

const (
	// retryPause is the wait between two attempts to follow the stream.
	retryPause = 250 * time.Millisecond
	// logPause is the least time between two log lines of one outage.
	logPause = time.Minute
	// deadAfter is how long the stream may not be followed before Check fails.
	deadAfter = 5 * time.Second
)

// errStarting is why events do not flow before the stream is first followed.
var errStarting = errors.New("the stream of outcomes has not answered yet")

// outage says since when and why the stream is not followed.
type outage struct {
	mu     sync.Mutex
	since  time.Time // zero while the stream is followed
	cause  error
	logged time.Time
}

// Run follows the stream of outcomes until ctx ends. It logs the loss of its
// consumer and creates another one. It returns nil.
func (l *Events) Run(ctx context.Context) error {
	var notifying sync.WaitGroup
	defer notifying.Wait()
	notifying.Go(func() { l.ring.notify(ctx) })
	for {
		err := l.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		l.stopped(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryPause):
		}
	}
}

// follow adds outcomes to the ring until its tail ends. The first time it begins
// with the newest that are stored, so that readers that come back to a new
// process find what follows in the ring.
func (l *Events) follow(ctx context.Context) error {
	oldest, newest, err := l.bus.OutcomeBounds(ctx)
	if err != nil {
		return err
	}
	_, after, _ := l.ring.bounds()
	if !l.isLoaded() {
		after = max(oldest-1, newest-min(newest, uint64(len(l.ring.entries))))
		l.ring.reset(after)
	}
	err = l.read(ctx, after, newest)
	if !errors.Is(err, bus.ErrGone) {
		return err
	}
	_, newest, boundsErr := l.bus.OutcomeBounds(ctx)
	if boundsErr != nil {
		return boundsErr
	}
	l.ring.reset(newest)
	l.load()
	return fmt.Errorf("%w; going on after %d", err, newest)
}

// read adds the outcomes after a position. The ring is loaded once it has seen
// the newest one.
func (l *Events) read(ctx context.Context, after, newest uint64) error {
	tail, err := l.bus.Tail(ctx, after)
	if err != nil {
		return err
	}
	defer tail.Close()
	l.following()
	for {
		if after >= newest {
			l.load()
		}
		d, err := tail.Next()
		if err != nil {
			return err
		}
		l.ring.add(newEntry(d))
		after = d.Sequence
	}
}

func (l *Events) isLoaded() bool {
	select {
	case <-l.loaded:
		return true
	default:
		return false
	}
}

func (l *Events) stopped(err error) {
	o := &l.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since = time.Now()
		l.metrics.lost.Inc()
	}
	o.cause = err
	if time.Since(o.logged) >= logPause {
		o.logged = time.Now()
		l.log.Error().Err(err).Msg("live events stopped; following the outcomes again")
	}
}

func (l *Events) following() {
	o := &l.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.logged.IsZero() {
		l.log.Info().Dur("outage_ms", time.Since(o.since)).Msg("live events follow the outcomes again")
	}
	o.since, o.cause, o.logged = time.Time{}, nil, time.Time{}
}

// Check returns an error while live events are dead, for readiness.
func (l *Events) Check(context.Context) error {
	o := &l.outage
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
			Name: "assay_live_outages_total", Help: "How often the consumer that feeds all live events was lost.",
		}),
		resyncs: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_live_resyncs_total", Help: "Readers whose position the stream did not hold.",
		}),
	}
}
