// Package textfile serves reads of text files: single files, an owner's list, and
// downloads.
package textfile

import (
	"context"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/query/wait"
)

// Area reads text files.
type Area struct {
	cfg    Config
	store  *textfile.Store
	bucket *blob.Store
	waits  *wait.Waits
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, waits *wait.Waits) *Area {
	return &Area{cfg: cfg, store: textfile.NewStore(backends.DB, cfg.Table), bucket: backends.Bucket, waits: waits}
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }
