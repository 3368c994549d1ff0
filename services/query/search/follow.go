package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/tail"
	"github.com/assay-project/assay/pkg/saved"
)

const (
	// retryPause is the delay before the next attempt after a failure.
	retryPause = time.Second
	// applyBatch is the maximum number of events applied in one batch.
	applyBatch = 500
)

// Options configures a Searcher.
type Options struct {
	Source Source
	Bus    *bus.Bus
	Area   string // name of the area, for logs and metrics
	// Open opens the index of this process, or a SharedIndex. rebuild discards existing content. It is called again after the
	// previous index is closed.
	Open     func(ctx context.Context, rebuild bool) (Index, error)
	Tags     *saved.Tags // of callers, on items of the area
	Log      zerolog.Logger
	Registry prometheus.Registerer
}

// Searcher serves queries from an index that it keeps up to date while Run is running.
type Searcher struct {
	o       Options
	metrics *metrics
	write   sync.Mutex    // guards writes to the index
	texts   chan struct{} // wakes the loader of texts
	gone    chan Item     // items to forget

	mu      sync.Mutex
	index   Index          // nil until the index has all nodes and texts
	using   sync.WaitGroup // calls in progress on index
	changed chan struct{}  // closed when index or its content changes
}

// New returns a searcher. It makes no request and opens nothing.
func New(o Options) *Searcher {
	return &Searcher{o: o, metrics: newMetrics(o.Registry, o.Area), texts: make(chan struct{}, 1), gone: make(chan Item, maxGone), changed: make(chan struct{})}
}

// Run keeps an index up to date until ctx is done, closes it and returns nil. It only reads a SharedIndex while another process writes
// it. Failures are logged and retried.
func (s *Searcher) Run(ctx context.Context) error {
	rebuild := false
	for {
		err := s.serve(ctx, rebuild)
		if ctx.Err() != nil {
			return nil
		}
		s.metrics.failures.Inc()
		s.o.Log.Error().Err(err).Msg("the search index failed; restarting it")
		rebuild = errors.Is(err, ErrDamaged)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryPause):
		}
	}
}

// serve opens an index and follows the events until an error occurs.
func (s *Searcher) serve(ctx context.Context, rebuild bool) (err error) {
	index, err := s.o.Open(ctx, rebuild)
	if err != nil {
		return err
	}
	defer func() {
		s.publish(nil)
		s.using.Wait()
		err = errors.Join(err, index.Close())
	}()
	forgetting, stop := context.WithCancel(ctx)
	var forgotten sync.WaitGroup
	defer forgotten.Wait()
	defer stop()
	forgotten.Go(func() { s.forget(forgetting, index) })
	written, shared := index.(SharedIndex)
	if shared {
		if err := s.lead(ctx, written); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var loading sync.WaitGroup
	defer loading.Wait()
	defer cancel(nil)
	f := &follower{Searcher: s, index: index, shared: shared}
	for _, work := range []func(context.Context) error{f.load, f.expire} {
		loading.Go(func() {
			if err := work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	for {
		err := f.follow(ctx)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if !errors.Is(err, tail.ErrLost) {
			return err
		}
		s.o.Log.Warn().Err(err).Msg("the search index missed events; following the stream again")
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// lead makes a shared index available, which reports itself whether it is ready, and waits until this process writes it.
func (s *Searcher) lead(ctx context.Context, index SharedIndex) error {
	s.publish(index)
	if err := index.Lead(ctx); err != nil {
		return err
	}
	s.o.Log.Info().Msg("this process writes the search index")
	return nil
}

// publish makes an index available to requests; nil makes it unavailable.
func (s *Searcher) publish(index Index) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = index
	s.wake()
}

// notify wakes the goroutines that wait for a change.
func (s *Searcher) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake()
}

func (s *Searcher) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// use returns the index and a channel that is closed at the next change. The caller must call done after its
// last use of the index. It returns ErrNotReady if there is no index.
func (s *Searcher) use() (index Index, changed <-chan struct{}, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil, s.changed, nil, ErrNotReady
	}
	s.using.Add(1)
	return s.index, s.changed, s.using.Done, nil
}

// follower keeps one index up to date.
type follower struct {
	*Searcher
	index  Index
	shared bool // the index is a SharedIndex

	ready sync.Mutex // guards the following fields
	// reached is set once the index has every event that existed when following began; loaded is set once all
	// texts have been indexed after that.
	reached, loaded bool
}

// follow builds the index if necessary and applies the events after its position. After tail.ErrLost it can be
// called again.
func (f *follower) follow(ctx context.Context) error {
	_, newest, err := tail.Bounds(ctx, f.o.Bus, f.o.Source.Stream())
	if err != nil {
		return fmt.Errorf("%w: %w", tail.ErrLost, err)
	}
	position, built, err := f.index.Position(ctx)
	if err != nil {
		return err
	}
	var events *tail.Tail
	if built {
		events, err = tail.Open(ctx, f.o.Bus, f.o.Log, f.o.Source.Stream(), position)
	}
	if !built || errors.Is(err, tail.ErrGone) {
		if err := f.build(ctx, newest); err != nil {
			return err
		}
		position = newest
		events, err = tail.Open(ctx, f.o.Bus, f.o.Log, f.o.Source.Stream(), position)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", tail.ErrLost, err)
	}
	defer events.Close()
	f.progress(position >= newest, false)
	f.wakeLoader()
	return f.apply(ctx, events, newest)
}

// build replaces the content of the index. Requests get ErrNotReady until the index also has all texts.
func (f *follower) build(ctx context.Context, sequence uint64) error {
	if !f.shared {
		f.publish(nil)
	}
	f.ready.Lock()
	f.reached, f.loaded = false, false
	f.ready.Unlock()
	f.metrics.builds.Inc()
	f.o.Log.Info().Uint64("sequence", sequence).Msg("building the search index")
	f.write.Lock()
	defer f.write.Unlock()
	return f.index.Build(ctx, f.o.Source.Items(ctx), sequence)
}

// apply applies events as they arrive, batching those that are available.
func (f *follower) apply(ctx context.Context, events *tail.Tail, newest uint64) error {
	type next struct {
		d   bus.Delivery
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan next, applyBatch)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	reading.Go(func() {
		for {
			d, err := events.Next()
			select {
			case queue <- next{d, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	for {
		var changes []Item
		var sequence uint64
		var n next
		select {
		case n = <-queue:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for more := true; more && n.err == nil; {
			sequence = n.d.Sequence
			item, ok, err := f.o.Source.Decode(n.d)
			if err != nil {
				f.o.Log.Error().Err(err).Str("subject", n.d.Subject).Msg("skipped an event that cannot be read")
			} else if ok {
				changes = append(changes, item)
			}
			if len(changes) == applyBatch {
				break
			}
			select {
			case n = <-queue:
			default:
				more = false
			}
		}
		if sequence > 0 {
			if err := f.applySome(ctx, changes, sequence); err != nil {
				return err
			}
			f.progress(sequence >= newest, false)
		}
		if n.err != nil {
			return n.err
		}
	}
}

func (f *follower) applySome(ctx context.Context, changes []Item, sequence uint64) error {
	f.write.Lock()
	err := f.index.Apply(ctx, changes, sequence)
	f.write.Unlock()
	if err != nil {
		return err
	}
	f.metrics.applied.Add(float64(len(changes)))
	f.metrics.sequence.Set(float64(sequence))
	f.wakeLoader()
	f.notify()
	return nil
}

// progress makes the index available once all events are applied and all texts loaded.
func (f *follower) progress(reached, loaded bool) {
	f.ready.Lock()
	defer f.ready.Unlock()
	was := f.reached && f.loaded
	f.reached = f.reached || reached
	f.loaded = f.loaded || loaded && f.reached
	if !was && f.reached && f.loaded {
		f.publish(f.index)
		f.o.Log.Info().Msg("the search index is ready")
	}
	if reached && !f.loaded {
		f.wakeLoader()
	}
}
