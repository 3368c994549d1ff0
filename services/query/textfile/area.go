// Package textfile serves reads of text files: single files, an owner's list, and
// downloads.
package textfile

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

// Area reads text files.
type Area struct {
	cfg    Config
	store  *textfile.Store
	bucket *blob.Store
	waits  *wait.Waits

	searcher *search.Searcher
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, waits *wait.Waits, indexes search.Indexes) *Area {
	store := textfile.NewStore(backends.DB, cfg.Table)
	return &Area{
		cfg: cfg, store: store, bucket: backends.Bucket, waits: waits,
		searcher: indexes.Searcher(textfile.Name, func(log zerolog.Logger) search.Source { return &source{store, backends.Bucket, log} }),
	}
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Work keeps the search index up to date until ctx is done.
func (a *Area) Work(ctx context.Context) error { return a.searcher.Run(ctx) }
