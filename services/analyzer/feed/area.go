// Package feed scores the sentiment of feed items.
package feed

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/extract/sentiment"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/services/analyzer/feed/similar"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Area analyzes feed items.
type Area struct {
	store  *feed.Store
	bucket *blob.Store
	bus    *bus.Bus
	texts  *sentiment.Analyzer
	index  *similar.Index
	log    zerolog.Logger
	worker *work.Worker
	quotas *quota.Quotas
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, worker *work.Worker, quotas *quota.Quotas, log zerolog.Logger) *Area {
	return &Area{
		store: feed.NewStore(backends.DB, cfg.Tables), index: similar.New(backends.DB, cfg.Platform), log: log,
		bucket: backends.Bucket, bus: backends.Bus, texts: sentiment.New(), worker: worker, quotas: quotas,
	}
}

// Name returns the area's name.
func (a *Area) Name() string { return feed.Name }

// Check returns an error if the table cannot be used.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Consumers returns the only consumer of the area. Texts are small, so only the duration of an
// attempt is limited.
func (a *Area) Consumers() []bus.Consumer {
	return []bus.Consumer{work.Consumer(a.worker, bus.Consumer{
		Name: feed.Consumer, Area: feed.Name, Stream: feed.WorkStream,
		Bounds: func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: a.worker.Config.Time} },
	}, steps{a})}
}

// Sweep repairs items that have no outstanding message, and deletes orphaned texts.
func (a *Area) Sweep(ctx context.Context, r *sweeper.Run) error {
	s := newSweep(ctx, a, r)
	return errors.Join(s.counting.Sweep(ctx, r), r.Tags(ctx, a.exist), sweeper.Sweep(ctx, r, s, s))
}
