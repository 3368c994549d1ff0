// Package library accepts folders and files: it reserves uploads, accepts bytes, publishes work for finished
// uploads, and changes names, folders, trash state and permissions of nodes.
package library

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/announce"
	"github.com/assay-project/assay/pkg/library/link"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// Area accepts folders and files.
type Area struct {
	store     *library.Store
	bucket    *blob.Store
	bus       *bus.Bus
	announcer *announce.Announcer
	receiver  *receive.Receiver
	parts     *parts.Uploads
	quotas    *quota.Quotas
	withdrawn *withdrawn.Items
	links     *link.Issuer
	ids       *link.IDs
	pages     guard.Policy
	log       zerolog.Logger
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, receiver *receive.Receiver, parts *parts.Uploads, quotas *quota.Quotas, withdrawn *withdrawn.Items, log zerolog.Logger) *Area {
	store, documents := library.NewStore(backends.DB, cfg.Tables), platform.NewStore(backends.DB, cfg.Platform)
	return &Area{
		store: store, bucket: backends.Bucket, bus: backends.Bus, receiver: receiver, parts: parts, quotas: quotas, withdrawn: withdrawn,
		pages: cfg.Imports.Policy(), log: log,
		links: link.NewIssuer(documents), ids: link.NewIDs(documents, store),
		announcer: &announce.Announcer{Bucket: backends.Bucket, Bus: backends.Bus, Log: log},
	}
}

// Check returns an error if the tables are unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// OperatorRoutes registers nothing: operators have only read calls.
func (a *Area) OperatorRoutes(*web.Router) {}

// Work does nothing: clients and buckets report uploads.
func (a *Area) Work(context.Context) error { return nil }

// Uploaded announces the upload of an object. It deletes an object that was uploaded after its file was erased, and
// leaves any other object without a file to the sweep. It ignores an object that does not match the reservation: the client's
// own call returns the reason.
func (a *Area) Uploaded(ctx context.Context, o blob.Object) (mine bool, err error) {
	id, run, err := library.ParseKey(o.Key)
	if err != nil || o.Bucket != a.bucket.Bucket {
		return false, nil
	}
	if run > 0 { // the object is a result of a step
		return true, nil
	}
	file, err := a.store.File(ctx, id)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		erased, err := a.withdrawn.Has(ctx, library.Name, id)
		if err != nil || !erased {
			return true, err
		}
		return true, a.bucket.Delete(ctx, o.Key)
	case err != nil:
		return true, err
	case file.Key != o.Key:
		return true, nil
	}
	err = a.announcer.Uploaded(ctx, file)
	if errors.Is(err, upload.ErrNoBytes) || errors.Is(err, upload.ErrOtherBytes) {
		return true, nil
	}
	return true, err
}

// caller returns the caller of a request to this service, which does not accept share links.
func caller(c web.Caller) library.Caller {
	return library.Caller{Owner: c.Owner, Groups: c.Groups()}
}

// refused returns the error for creating a node in a folder of another owner, or moving a node to it. If the
// caller may not see the folder, the error states that it does not exist.
func (a *Area) refused(ctx context.Context, err error, parentID string, c library.Caller) error {
	if !errors.Is(err, library.ErrOwner) {
		return err
	}
	if _, hidden := a.store.Writable(ctx, parentID, c); hidden != nil {
		return hidden
	}
	return err
}
