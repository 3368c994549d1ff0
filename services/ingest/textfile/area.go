// Package textfile accepts text files: it reserves uploads, accepts content, and publishes work for
// finished uploads.
package textfile

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/textfile/announce"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// Area accepts text files.
type Area struct {
	store     *textfile.Store
	bucket    *blob.Store
	bus       *bus.Bus
	uploads   *announce.Announcer
	receiver  *receive.Receiver
	parts     *parts.Uploads
	quotas    *quota.Quotas
	withdrawn *withdrawn.Items
	log       zerolog.Logger
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, receiver *receive.Receiver, parts *parts.Uploads, quotas *quota.Quotas, withdrawn *withdrawn.Items, log zerolog.Logger) *Area {
	store := textfile.NewStore(backends.DB, cfg.Table)
	return &Area{
		store: store, bucket: backends.Bucket, bus: backends.Bus, log: log,
		uploads:  &announce.Announcer{Store: store, Bucket: backends.Bucket, Bus: backends.Bus, Log: log},
		receiver: receiver, parts: parts, quotas: quotas, withdrawn: withdrawn,
	}
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// OperatorRoutes registers nothing: there are no operator calls for text files.
func (a *Area) OperatorRoutes(*web.Router) {}

// Work does nothing: clients and buckets report uploads.
func (a *Area) Work(context.Context) error { return nil }

// Uploaded confirms the upload of an object. It deletes an object that was uploaded after its file
// was deleted, and leaves any other object without a file to the sweep. It ignores an object that does not match the
// reservation: the client's own call returns the reason.
func (a *Area) Uploaded(ctx context.Context, o blob.Object) (mine bool, err error) {
	fileID, _, err := textfile.ParseObjectKey(o.Key)
	if err != nil {
		return false, nil
	}
	file, err := a.store.Head(ctx, fileID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		deleted, err := a.withdrawn.Has(ctx, textfile.Name, fileID)
		if err != nil || !deleted {
			return true, err
		}
		return true, a.bucket.Delete(ctx, o.Key)
	case err != nil:
		return true, err
	case file.S3Key != o.Key:
		return true, nil
	}
	_, err = a.uploads.Confirm(ctx, file)
	if errors.Is(err, upload.ErrNoBytes) || errors.Is(err, upload.ErrOtherBytes) {
		return true, nil
	}
	return true, err
}
