// Package photojob serves reads of photo jobs: single jobs, batches, lists, downloads, and
// renditions of photos.
package photojob

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/rendition"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

// Area reads photo jobs.
type Area struct {
	store       *photojob.Store
	temp, final *blob.Store
	waits       *wait.Waits
	renditions  *renditions
	searcher    *search.Searcher
}

// New returns the area for open backends. The caller must close it.
func New(cfg Config, compiled wasm.Config, backends *backend.Connections, waits *wait.Waits, indexes search.Indexes, reg prometheus.Registerer) (*Area, error) {
	store := photojob.NewStore(backends.DB, cfg.Names)
	a := &Area{
		store: store, waits: waits,
		searcher: indexes.Searcher(photojob.Name, func(log zerolog.Logger) search.Source { return &source{store, log} }),
	}
	if backends.Bucket != nil { // nil if the operations are only described
		a.temp, a.final = backends.Bucket.In(cfg.Names.TempBucket()), backends.Bucket.In(cfg.Names.FinalBucket())
	}
	signer := rendition.NewSigner(platform.NewStore(backends.DB, cfg.Platform))
	var err error
	a.renditions, err = newRenditions(cfg, pixels.NewDecoder(budget.New(cfg.Memory), compiled), signer, reg)
	return a, err
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Close releases the photo codecs.
func (a *Area) Close(ctx context.Context) error { return a.renditions.decoder.Close(ctx) }

// Work keeps the search index up to date until ctx is done.
func (a *Area) Work(ctx context.Context) error { return a.searcher.Run(ctx) }
