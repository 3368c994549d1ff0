// Package announce publishes the work events of the library: the bytes of a file are stored, a run of its workflow
// has begun, a node is to be erased. Ingest, the analyzer and its sweep share it, so that all publish the same
// event for the same fact.
package announce

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/upload"
)

// Announcer publishes the events of the files of a store, whose bytes are in Bucket. It is safe for
// concurrent use.
type Announcer struct {
	Bucket *blob.Store
	Bus    *bus.Bus
	Log    zerolog.Logger
}

// Uploaded checks whether the bytes of a file exist and, while the file is Loading, publishes its StepStart. It is
// called for client requests, for bucket notifications and by the sweep, in any order and any number of times, since the
// event's id is always the same. For a Loaded file it does what Begun does, since a client's retry may have failed
// after its write. It returns upload.ErrNoBytes, upload.ErrOtherBytes or bus.ErrFull.
func (a *Announcer) Uploaded(ctx context.Context, f library.File) error {
	switch f.Status {
	case library.Loading:
		if f.Unfetched() {
			return a.Begun(ctx, f)
		}
	case library.Loaded:
		return a.Begun(ctx, f)
	default:
		return nil
	}
	object, err := a.Find(ctx, f)
	if err != nil {
		return err
	}
	return a.Stored(ctx, f, object)
}

// Stored is like Uploaded, for an object that is known to exist.
func (a *Announcer) Stored(ctx context.Context, f library.File, object blob.Object) error {
	return a.uploads().Announce(upload.Traced(ctx, object), f.Start(object.ETag), object.Size, false)
}

// Find returns the object of a file. It returns upload.ErrNoBytes if there is none, and the object together with
// upload.ErrOtherBytes if its length differs.
func (a *Announcer) Find(ctx context.Context, f library.File) (blob.Object, error) {
	return upload.Find(ctx, a.Bucket, f.Key, f.Length)
}

// Begun publishes the StepStart of a run begun by a retry or a reprocessing, or of a file whose bytes are to be
// fetched. Its handler publishes the open steps of the run.
func (a *Announcer) Begun(ctx context.Context, f library.File) error {
	return a.uploads().Resend(ctx, f.Start(f.ETag))
}

// Erase publishes the operation that library.Store.Erase returned.
func (a *Announcer) Erase(ctx context.Context, w library.Workflow) error {
	return a.uploads().Resend(ctx, w.Erase())
}

// EraseChild publishes the erasure of a node in a folder that is being erased, before Store.Erase is called. Its
// handler calls Store.Erase too, so that a crash between the two loses nothing.
func (a *Announcer) EraseChild(ctx context.Context, n library.Node) error {
	return a.uploads().Resend(ctx, library.Workflow{FileID: n.ID, UserID: n.OwnedBy}.Erase())
}

func (a *Announcer) uploads() upload.Announcer {
	return upload.Announcer{Area: library.Name, Bus: a.Bus, Log: a.Log}
}
