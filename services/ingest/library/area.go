// Package library accepts folders and files: it reserves uploads, accepts bytes, publishes work for finished
// uploads, and changes names, folders, trash state and permissions of nodes.
package library

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/link"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

// Area accepts folders and files.
type Area struct {
	*accept.Items[item]
	store *library.Store
	links *link.Issuer
	ids   *link.IDs
	pages guard.Policy
}

// item is a file with its node.
type item struct {
	node    library.Node
	file    library.File
	trashed bool // whether the node or a folder above it is in the trash; known if the caller has named the file
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, shared accept.Shared) *Area {
	store, documents := library.NewStore(backends.DB, cfg.Tables), platform.NewStore(backends.DB, cfg.Platform)
	a := &Area{store: store, pages: cfg.Imports.Policy(), links: link.NewIssuer(documents), ids: link.NewIDs(documents, store)}
	a.Items = accept.New(shared, accept.Area[item]{
		Name: library.Name, Stream: library.WorkStream, Bucket: backends.Bucket, Path: "/v1/library/nodes/",
		Nouns:  accept.Nouns{Missing: "The library has no node with this id.", Item: "file"},
		Upload: func(i item, bucket *blob.Store) upload.Item { return i.file.Upload(bucket) },
		Find: func(ctx context.Context, id string) (item, error) {
			file, err := a.store.File(ctx, id)
			return item{file: file}, err
		},
		Owns: a.owns, Retry: a.retry, Problem: problem, Check: a.store.Check,
		Worked: func(subject string) (id string, mine bool) {
			id, _, mine = library.ParseStepSubject(subject)
			return id, mine
		},
		Clean:  func(ctx context.Context, i item) error { return a.Bucket.Delete(ctx, i.file.Key) },
		Delete: func(ctx context.Context, i item) (item, error) { return i, a.store.Expire(ctx, i.file) },
	})
	return a
}

// owns returns the id of the file whose upload is stored in an object. It is empty for the results of steps.
func (a *Area) owns(o blob.Object) (id string, mine bool) {
	id, run, err := library.ParseKey(o.Key)
	if err != nil || o.Bucket != a.Bucket.Bucket {
		return "", false
	}
	if run > 0 {
		return "", true
	}
	return id, true
}

// Replay retries the file of a dead letter, unless it is in the trash.
func (a *Area) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	id, step, ours := library.ParseStepSubject(l.Subject)
	if !ours {
		return false, "", nil
	}
	if step == library.StepErase {
		return true, "the next sweep repeats the erasure", nil
	}
	if file, err := a.store.File(ctx, id); err == nil && file.IsDeleted {
		return true, "the file was deleted", nil
	}
	return a.Items.Replay(ctx, l)
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
