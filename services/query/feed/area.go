// Package feed serves reads of the feed: single items from the primary
// table, everything else from the dashboard table, which it fills.
package feed

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/feed/alert"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/feed/dax"
	"github.com/assay-project/assay/services/query/feed/projector"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

// Area reads feed items.
type Area struct {
	store     *feed.Store
	dashboard *dashboard.Dashboard
	projector *projector.Projector
	alerts    *alert.Evaluator
	cache     *cache
	dax       *dax.Reader // nil if no cluster is configured
	hub       *live.Hub
	waits     *wait.Waits
	searcher  *search.Searcher
}

// New returns the area for open backends. A DAX cluster that does not respond can
// delay New by a few seconds. The caller must close the Area. emit stores events of alerts for delivery; nil stores none.
func New(cfg Config, backends *backend.Connections, hub *live.Hub, waits *wait.Waits, indexes search.Indexes, emit func(context.Context, webhook.Event) error, log zerolog.Logger, reg prometheus.Registerer) (*Area, error) {
	cache, err := newCache(cfg.Cache)
	if err != nil {
		return nil, err
	}
	a := &Area{
		store: feed.NewStore(backends.DB, cfg.Tables), dashboard: dashboard.New(backends.DB, cfg.Tables),
		projector: projector.New(changes.Config{}, projector.Options{
			DB: backends.DB, Streams: backends.Streams, Tables: cfg.Tables, Platform: cfg.Platform, Log: log, Registry: reg,
			Changed: cache.changed,
		}),
		cache: cache, hub: hub, waits: waits,
		searcher: indexes.Searcher(feed.Name, func(log zerolog.Logger) search.Source { return &source{backends.Bus, log} }),
	}
	a.alerts = alert.New(alert.Options{
		DB: backends.DB, Platform: cfg.Platform, Dashboard: a.dashboard, Emit: emit, Signal: func(e event.Event) error { return backends.Bus.Signal(e) }, Log: log, Registry: reg,
	})
	hub.FilterBy(feed.Name, resultOf)
	follow(hub)
	if cfg.DAX.Endpoint == "" {
		return a, nil
	}
	if a.dax, err = dax.Connect(backends.AWS, cfg.DAX, backends.DB, log); err != nil {
		cache.close()
		return nil, err
	}
	a.dashboard = a.dashboard.Through(a.dax)
	return a, nil
}

// Check returns an error if the tables are unavailable.
func (a *Area) Check(ctx context.Context) error {
	return errors.Join(a.store.Check(ctx), a.dashboard.Check(ctx))
}

// Work projects the items into the dashboard table, evaluates the alerts and keeps the search index up to date until ctx is done.
func (a *Area) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { a.alerts.Run(ctx); return nil })
	group.Go(func() error { return a.projector.Run(ctx) })
	group.Go(func() error { return a.searcher.Run(ctx) })
	return group.Wait()
}

// Close closes the cache and the connections to DAX. No request may be in progress.
func (a *Area) Close() {
	a.cache.close()
	if a.dax != nil {
		a.dax.Close()
	}
}
