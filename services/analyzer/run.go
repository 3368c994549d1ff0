// Package analyzer is the service that does the work: it consumes work events,
// claims items, analyzes them, records the result and the next state, and
// publishes the outcome. Any number of analyzers share the work.
package analyzer

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/textfile/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer/sentiment"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// Name is the service's name in logs, metrics and event sources.
const Name = "analyzer"

// Notices are the licenses of the data that the analyses carry along.
func Notices() []string { return []string{sentiment.Notice()} }

// Service is an open analyzer.
type Service struct {
	cfg       Config
	engines   *engine.Engines
	textFiles *textFiles
	sweeper   *sweeper.Sweeper
	feedItems *feedItems
}

// Run runs the service as a process of its own until ctx ends, then finishes
// what is in hand and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return process.Serve(ctx, process.Options{
		Name: Name, Title: "Assay analyzer", Version: process.Version(), Addr: cfg.Addr, Drain: cfg.Drain, Log: cfg.Log,
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (*Service, error) {
		return Open(ctx, cfg, log, reg)
	})
}

// Open connects to the engines. The caller closes the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, config.Unusable(err)
	}
	engines, err := engine.Open(ctx, cfg.Engines, Name, log, reg)
	if err != nil {
		return nil, err
	}
	return newService(cfg, engines, log, reg), nil
}

func newService(cfg Config, engines *engine.Engines, log zerolog.Logger, reg prometheus.Registerer) *Service {
	results := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "assay_analyses_total", Help: "Items that reached a final state, by area and state.",
	}, []string{"area", "state"})
	s := &Service{
		cfg: cfg, engines: engines, textFiles: newTextFiles(cfg, engines, results), feedItems: newFeedItems(cfg, engines, results),
	}
	s.sweeper = sweeper.New(cfg.Sweep, log, reg,
		s.textFiles.sweepArea(cfg, &upload.Uploads{Store: s.textFiles.store, Bucket: engines.Bucket, Bus: engines.Bus, Log: log}),
		s.feedItems.sweepArea(cfg))
	return s
}

// Sweep sweeps all areas once, as the timer of a running analyzer does in parts.
// It leaves streams and tables to be declared by the services. The error says
// what could not be read; the report is that of what was done until then.
func Sweep(ctx context.Context, cfg Config, o sweeper.Options, log zerolog.Logger) (sweeper.Report, error) {
	if err := cfg.validate(); err != nil {
		return sweeper.Report{}, config.Unusable(err)
	}
	reg := obs.NewRegistry()
	engines, err := engine.Join(ctx, cfg.Engines, "sweep", log, reg)
	if err != nil {
		return sweeper.Report{}, err
	}
	defer engines.Close()
	return newService(cfg, engines, log, reg).sweeper.Once(ctx, o)
}

// Health adds the checks of what the service cannot work without.
func (s *Service) Health(h *obs.Health) {
	s.engines.Health(h)
	h.Add("dynamodb", func(ctx context.Context) error {
		return errors.Join(s.textFiles.store.Check(ctx), s.feedItems.store.Check(ctx))
	})
}

// Routes registers nothing: the analyzer takes its work from events.
func (s *Service) Routes(*web.Router) {}

// Work consumes and sweeps until ctx ends and the work in hand is done or given
// back.
func (s *Service) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.engines.Bus.Consume(ctx, s.textFiles.consumer(s.cfg)) })
	group.Go(func() error { return s.engines.Bus.Consume(ctx, s.feedItems.consumer(s.cfg)) })
	group.Go(func() error { return s.sweeper.Work(ctx) })
	return group.Wait()
}

// Close closes the connections. Work must have returned.
func (s *Service) Close() { s.engines.Close() }
