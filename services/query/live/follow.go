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
	// retryPause is the time between attempts to read the stream.
	retryPause = 250 * time.Millisecond
	// logPause is the minimum time between log lines of one outage.
	logPause = time.Minute
	// deadAfter is how long the stream can be unavailable before Check fails.
	deadAfter = 5 * time.Second
)

// errStarting is the cause that Check reports until the stream has been opened for the first time.
var errStarting = errors.New("no response yet from the stream")

// outage records the start and cause of an interruption of a stream.
type outage struct {
	mu     sync.Mutex
	since  time.Time // zero while the stream is available
	cause  error
	logged time.Time
}

// Run reads the streams until ctx is done. It logs the loss of a consumer and recreates
// it. It returns nil.
func (h *Hub) Run(ctx context.Context) error {
	var following sync.WaitGroup
	defer following.Wait()
	for _, s := range h.sources {
		following.Go(func() { s.ring.notify(ctx) })
		following.Go(func() { s.run(ctx) })
	}
	return nil
}

func (s *source) run(ctx context.Context) {
	follow := s.follow
	if s.stream == "" {
		follow = s.listen
	}
	for {
		err := follow(ctx)
		if ctx.Err() != nil {
			return
		}
		s.stopped(err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryPause):
		}
	}
}

// follow adds events to the ring until its tail ends. It first loads the newest
// stored events, so that readers that reconnect to a new process can resume from
// the ring.
func (s *source) follow(ctx context.Context) error {
	oldest, newest, err := tail.Bounds(ctx, s.hub.bus, s.stream)
	if err != nil {
		return err
	}
	_, after, _ := s.ring.bounds()
	if !s.isLoaded() {
		after = max(oldest-1, newest-min(newest, uint64(len(s.ring.entries))))
		s.ring.reset(after)
	}
	err = s.tail(ctx, after, newest)
	if !errors.Is(err, tail.ErrGone) {
		return err
	}
	_, newest, boundsErr := tail.Bounds(ctx, s.hub.bus, s.stream)
	if boundsErr != nil {
		return boundsErr
	}
	s.ring.reset(newest)
	s.seenTo = newest // the sequences of a recreated stream start at 1 again
	s.load()
	return fmt.Errorf("%w; resuming after %d", err, newest)
}

// tail adds the events after a position. The ring is loaded once it contains the newest event.
func (s *source) tail(ctx context.Context, after, newest uint64) error {
	events, err := tail.Open(ctx, s.hub.bus, s.hub.log, s.stream, after)
	if err != nil {
		return err
	}
	defer events.Close()
	s.following()
	for {
		if after >= newest {
			s.load()
		}
		d, err := events.Next()
		if err != nil {
			return err
		}
		s.ring.add(s.read(d))
		after = d.Sequence
		if s.seen != nil && after > s.seenTo { // events are read again if loading the ring failed
			s.seenTo = after
			s.seen(d)
		}
	}
}

func (s *source) isLoaded() bool {
	select {
	case <-s.loaded:
		return true
	default:
		return false
	}
}

func (s *source) stopped(err error) {
	o := &s.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since = time.Now()
		s.hub.metrics.lost.Inc()
	}
	o.cause = err
	if time.Since(o.logged) >= logPause {
		o.logged = time.Now()
		s.hub.log.Error().Err(err).Str("stream", s.stream).Msg("live events stopped; resubscribing")
	}
}

func (s *source) following() {
	o := &s.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.logged.IsZero() {
		s.hub.log.Info().Str("stream", s.stream).Dur("outage_ms", time.Since(o.since)).Msg("live events resumed")
	}
	o.since, o.cause, o.logged = time.Time{}, nil, time.Time{}
}

// Check returns an error while live events are interrupted, for readiness.
func (h *Hub) Check(context.Context) error {
	var dead []error
	for _, s := range h.sources {
		dead = append(dead, s.check())
	}
	return errors.Join(dead...)
}

func (s *source) check() error {
	o := &s.outage
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
			Name: "assay_live_outages_total", Help: "Interruptions of an event stream, such as the loss of its consumer.",
		}),
		resyncs: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_live_resyncs_total", Help: "Readers whose position was no longer in the stream.",
		}),
	}
}
