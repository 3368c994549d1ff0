// Package photojob serves reads of photo jobs: single jobs, batches, lists, and
// downloads.
package photojob

import (
	"context"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/query/wait"
)

// Area reads photo jobs.
type Area struct {
	store       *photojob.Store
	temp, final *blob.Store
	waits       *wait.Waits
}

// New returns the area for open backends.
func New(cfg photojob.Config, backends *backend.Connections, waits *wait.Waits) *Area {
	a := &Area{store: photojob.NewStore(backends.DB, cfg), waits: waits}
	if backends.Bucket != nil { // nil if the operations are only described
		a.temp, a.final = backends.Bucket.In(cfg.TempBucket()), backends.Bucket.In(cfg.FinalBucket())
	}
	return a
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }
