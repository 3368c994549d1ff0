// Package photojob accepts photos: it reserves uploads, singly or in batches, receives bytes,
// publishes the work for finished uploads, and retries, cancels and deletes jobs.
package photojob

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/announce"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// uploadExpires is the lifetime of a presigned upload.
const uploadExpires = 15 * time.Minute

// Area accepts photos.
type Area struct {
	store       *photojob.Store
	temp, final *blob.Store
	bus         *bus.Bus
	announcer   *announce.Announcer
	policies    *policy.Store
	quotas      *quota.Quotas
	withdrawn   *withdrawn.Items
	log         zerolog.Logger
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, quotas *quota.Quotas, withdrawn *withdrawn.Items, log zerolog.Logger) *Area {
	a := &Area{
		store: photojob.NewStore(backends.DB, cfg.Names), bus: backends.Bus, quotas: quotas, withdrawn: withdrawn, log: log,
		policies: policy.NewStore(platform.NewStore(backends.DB, cfg.Platform)),
	}
	if backends.Bucket != nil { // nil if the area only describes its operations
		a.temp, a.final = backends.Bucket.In(cfg.Names.TempBucket()), backends.Bucket.In(cfg.Names.FinalBucket())
	}
	a.announcer = &announce.Announcer{Store: a.store, Temp: a.temp, Final: cfg.Names.FinalBucket(), Bus: backends.Bus, Log: log}
	return a
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Work does nothing: clients and buckets report uploads.
func (a *Area) Work(context.Context) error { return nil }

// Uploaded publishes the work for an uploaded photo. It deletes an upload whose job was deleted, and leaves
// any other upload without a job to the sweep. It ignores an object that does not match the reservation: the
// client's own call returns the reason.
func (a *Area) Uploaded(ctx context.Context, o blob.Object) (mine bool, err error) {
	if o.Bucket != a.temp.Bucket && o.Bucket != a.final.Bucket {
		return false, nil
	}
	id, err := photojob.JobOf(o.Key)
	if err != nil {
		return true, nil
	}
	job, err := a.store.Get(ctx, id)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) && o.Bucket == a.temp.Bucket:
		deleted, err := a.withdrawn.Has(ctx, photojob.Name, id)
		if err != nil || !deleted {
			return true, err
		}
		return true, a.temp.Delete(ctx, o.Key)
	case errors.Is(err, lifecycle.ErrNotFound):
		return true, nil
	case err != nil:
		return true, err
	case job.S3TempKey != o.Key:
		return true, nil
	}
	err = a.announcer.Uploaded(ctx, job)
	if errors.Is(err, upload.ErrNoBytes) || errors.Is(err, upload.ErrOtherBytes) {
		return true, nil
	}
	return true, err
}

// owned returns a job that the caller may change. A job of another owner is reported as not found.
func (a *Area) owned(ctx context.Context, id string, caller web.Caller) (photojob.Job, error) {
	job, err := a.store.Get(ctx, id)
	if err == nil && job.UserID != caller.Owner {
		return photojob.Job{}, lifecycle.ErrNotFound
	}
	return job, err
}
