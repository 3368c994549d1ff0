// Package library serves reads of folders and files: a node, the content of a folder, downloads and searches.
package library

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/link"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/library/nodes"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

// Config holds the settings of the library.
type Config struct {
	Tables   library.Config
	Platform platform.Config
}

// Area serves reads of the library.
type Area struct {
	store  *library.Store
	bucket *blob.Store
	links  *link.Issuer
	waits  *wait.Waits
	hub    *live.Hub
	nodes  *nodes.Publisher

	downloads  *web.Limiter
	selections *selections

	searcher *search.Searcher
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, hub *live.Hub, waits *wait.Waits, indexes search.Indexes, log zerolog.Logger, reg prometheus.Registerer) *Area {
	follow(hub)
	store := library.NewStore(backends.DB, cfg.Tables)
	return &Area{
		store: store, bucket: backends.Bucket, hub: hub, waits: waits,
		links:      link.NewIssuer(platform.NewStore(backends.DB, cfg.Platform)),
		downloads:  web.NewHeldLimiter("downloads", downloads, downloadsPerClient),
		selections: newSelections(),
		nodes:      nodes.New(changes.Config{}, cfg.Tables, cfg.Platform, backends, log, reg),
		searcher:   indexes.Searcher(library.Name, func(log zerolog.Logger) search.Source { return &source{store, backends.Bucket, log} }),
	}
}

// Check returns an error if the tables are unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Work publishes node changes and keeps the search index up to date until ctx is done.
func (a *Area) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.nodes.Run(ctx) })
	group.Go(func() error { return a.searcher.Run(ctx) })
	return group.Wait()
}
