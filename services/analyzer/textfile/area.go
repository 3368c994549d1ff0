// Package textfile counts the words of uploaded text files.
package textfile

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Area analyzes text files.
type Area struct {
	cfg     Config
	store   *textfile.Store
	bucket  *blob.Store
	bus     *bus.Bus
	uploads *upload.Announcer
	worker  *work.Worker
	quotas  *quota.Quotas
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, worker *work.Worker, quotas *quota.Quotas, log zerolog.Logger) *Area {
	store := textfile.NewStore(backends.DB, cfg.Table)
	return &Area{
		cfg: cfg, store: store, bucket: backends.Bucket, bus: backends.Bus, worker: worker, quotas: quotas,
		uploads: upload.NewAnnouncer(backends.Bus, log),
	}
}

// Name returns the area's name.
func (a *Area) Name() string { return textfile.Name }

// Check returns an error if the table cannot be used.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Consumers returns the only consumer of the area.
func (a *Area) Consumers() []bus.Consumer {
	return []bus.Consumer{work.Consumer(a.worker, bus.Consumer{
		Name: textfile.Consumer, Area: textfile.Name, Stream: textfile.WorkStream,
		Bounds: a.bounds, Memory: a.cfg.Memory,
	}, steps{a})}
}

// Sweep repairs files that have no outstanding message, and deletes orphaned objects and abandoned
// uploads.
func (a *Area) Sweep(ctx context.Context, r *sweeper.Run) error {
	s := sweep{steps{a}, &sweeper.Counting{Quotas: a.quotas, Area: textfile.Name, Exist: a.exist}}
	return errors.Join(s.counting.Sweep(ctx, r), r.Tags(ctx, a.exist), sweeper.Sweep(ctx, r, s, s), sweeper.WalkUploads(ctx, r, a.bucket, textfile.ObjectPrefix))
}
