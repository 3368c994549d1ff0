// Package query is the service that answers: files, lists, downloads, the feed's
// dashboard and live events. It makes no status transition; what it writes are
// the rows of its own read tables.
package query

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/feed/projector"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/ui"
)

// Name is the service's name in logs, metrics and event sources.
const Name = "query"

// Service is an open query.
type Service struct {
	cfg       Config
	engines   *engine.Engines
	textFiles *textFiles
	feedItems *feedItems
	live      *live.Events
	projector *projector.Projector
}

// Run runs the service as a process of its own until ctx ends, then finishes
// what is in hand and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return process.Serve(ctx, process.Options{
		Name: Name, Title: "Assay query", Version: process.Version(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr, Exposure: cfg.Exposure, Drain: cfg.Drain, Log: cfg.Log,
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (*Service, error) {
		return Open(ctx, cfg, log, reg)
	})
}

// Open connects to the engines. The caller closes the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, config.Unusable(err)
	}
	engines, err := engine.Join(ctx, cfg.Engines, Name, log, reg)
	if err != nil {
		return nil, err
	}
	held := newWaits(cfg, engines.Bus)
	items, err := newFeedItems(cfg, engines, held, log)
	if err != nil {
		engines.Close()
		return nil, err
	}
	return &Service{
		cfg: cfg, engines: engines, textFiles: newTextFiles(cfg, engines, held), feedItems: items,
		live: live.New(cfg.Live, live.Options{Bus: engines.Bus, Log: log, Registry: reg}),
		projector: projector.New(cfg.Projector, projector.Options{
			DB: engines.DB, Streams: engines.Streams, Tables: cfg.Feed, Log: log, Registry: reg,
			Changed: items.cache.changed,
		}),
	}, nil
}

// Health adds the checks of what the service cannot work without.
func (s *Service) Health(h *obs.Health) {
	s.engines.Health(h)
	h.Add("dynamodb", func(ctx context.Context) error {
		return errors.Join(s.textFiles.store.Check(ctx), s.feedItems.store.Check(ctx), s.feedItems.dashboard.Check(ctx))
	})
	h.Add("live events", s.live.Check)
}

// Routes registers the service's HTTP calls and the web page.
func (s *Service) Routes(r *web.Router) {
	s.calls(r)
	ui.Routes(r)
}

func (s *Service) calls(r *web.Router) {
	s.textFiles.routes(r)
	s.feedItems.routes(r)
	s.live.Routes(r)
}

// Describe registers the service's HTTP calls for their description alone, which
// whoever passes them on needs. They must not be called.
func Describe(r *web.Router) {
	(&Service{textFiles: &textFiles{}, feedItems: &feedItems{}, live: &live.Events{}}).calls(r)
}

// OperatorRoutes registers the live events of all owners.
func (s *Service) OperatorRoutes(r *web.Router) { s.live.OperatorRoutes(r) }

// Work projects the feed into its read table and follows the outcomes for live
// events until ctx ends.
func (s *Service) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.projector.Run(ctx) })
	group.Go(func() error { return s.live.Run(ctx) })
	return group.Wait()
}

// Close closes the connections. No request may be in hand.
func (s *Service) Close() {
	s.feedItems.close()
	s.engines.Close()
}
