// Package ingest is the service that takes work in: it reserves uploads,
// accepts bytes, notices finished uploads and publishes the first event. It
// writes first states, retries and deletes; every other transition is the
// analyzer's.
package ingest

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
)

// Name is the service's name in logs, metrics and event sources.
const Name = "ingest"

// Service is an open ingest.
type Service struct {
	cfg       Config
	engines   *engine.Engines
	textFiles *textFiles
	feedItems *feedItems
	sources   *feedSources
	queue     *queue // nil without one
}

// Run runs the service as a process of its own until ctx ends, then finishes
// what is in hand and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return process.Serve(ctx, process.Options{
		Name: Name, Title: "Assay ingest", Version: process.Version(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr, Exposure: cfg.Exposure, Drain: cfg.Drain, Log: cfg.Log,
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
	notices, err := newQueue(engines.AWS, cfg.SQSURL, engines.Bus, log)
	if err != nil {
		engines.Close()
		return nil, err
	}
	items := newFeedItems(cfg, engines, log)
	return &Service{
		cfg: cfg, engines: engines, textFiles: newTextFiles(cfg, engines, log),
		feedItems: items, sources: newFeedSources(cfg, engines, items, log, reg), queue: notices,
	}, nil
}

// Health adds the checks of what the service cannot work without.
func (s *Service) Health(h *obs.Health) {
	s.engines.Health(h)
	h.Add("dynamodb", func(ctx context.Context) error {
		return errors.Join(s.textFiles.store.Check(ctx), s.feedItems.store.Check(ctx), s.sources.store.Check(ctx))
	})
}

// Routes registers the service's HTTP calls.
func (s *Service) Routes(r *web.Router) {
	s.textFiles.routes(r)
	s.feedItems.routes(r)
}

// Describe registers the service's HTTP calls for their description alone, which
// whoever passes them on needs. They must not be called.
func Describe(r *web.Router) {
	(&Service{textFiles: &textFiles{}, feedItems: &feedItems{}}).Routes(r)
}

// OperatorRoutes registers the calls on dead letters and on sources of the feed.
func (s *Service) OperatorRoutes(r *web.Router) {
	letters := &deadLetters{bus: s.engines.Bus, areas: []replayer{s.textFiles.replay, s.feedItems.replay}}
	letters.routes(r)
	s.sources.routes(r)
}

// Work consumes the bucket's notices and polls the feed's sources until ctx ends
// and what is in hand is done or given back.
func (s *Service) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.engines.Bus.Consume(ctx, s.textFiles.noticeConsumer(s.cfg)) })
	group.Go(func() error { s.sources.poller.Run(ctx); return nil })
	if s.queue != nil {
		group.Go(func() error { s.queue.run(ctx); return nil })
	}
	return group.Wait()
}

// Close closes the connections. Work must have returned.
func (s *Service) Close() { s.engines.Close() }
