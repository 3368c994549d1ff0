package textfile

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/parts"
)

// errForeign reports that the file belongs to another owner.
var errForeign = errors.New("the file belongs to another owner")

// retry moves a FAILED file to PENDING and publishes its work. It returns upload.ErrNoBytes or
// upload.ErrOtherBytes for a file whose content is missing or has changed, *lifecycle.MovedError
// for a file in another state, and bus.ErrOutstanding if the last worker does not finish in time.
// In the last case the file is PENDING, and a later uploaded call publishes its work.
func (a *Area) retry(ctx context.Context, file textfile.File) (textfile.File, error) {
	ctx, cancel := context.WithTimeout(ctx, outstandingWait)
	defer cancel()
	if file.Status == textfile.Failed {
		if err := a.uploads.Check(ctx, file); err != nil {
			return textfile.File{}, err // without content, the file would remain PENDING
		}
	}
	file, err := a.store.Retry(ctx, file)
	if err != nil {
		return textfile.File{}, err
	}
	// The worker that failed the file may not have acknowledged its event yet.
	for {
		confirmed, err := a.uploads.Confirm(ctx, file)
		if !errors.Is(err, bus.ErrOutstanding) {
			return confirmed, err
		}
		select {
		case <-ctx.Done():
			return textfile.File{}, err
		case <-time.After(outstandingPause):
		}
	}
}

const (
	outstandingPause = 50 * time.Millisecond
	outstandingWait  = 10 * time.Second
)

// remove deletes the content and the parts of an open upload, then the items. A retry after a crash
// therefore still finds the content, and a file is not reported as deleted while its content exists.
// remove then deletes the content again, because an upload may have finished in between. The content of
// an upload that finishes later is deleted when its notification is processed.
func (a *Area) remove(ctx context.Context, file textfile.File) error {
	if file.Status == textfile.Pending {
		if err := a.parts.Abort(ctx, file.S3Key); err != nil {
			return err
		}
	}
	if err := a.withdrawn.Add(ctx, textfile.Name, file.FileID, file.Created()); err != nil {
		return err
	}
	if err := a.bucket.Delete(ctx, file.S3Key); err != nil {
		return err
	}
	if err := a.store.Delete(ctx, file); err != nil {
		return err
	}
	if err := a.quotas.Released(ctx, file.OwnerID, textfile.Name, file.FileID); err != nil {
		return err
	}
	return a.bucket.Delete(ctx, file.S3Key)
}

// owned returns a file that the caller may change. It returns lifecycle.ErrNotFound or errForeign.
func (a *Area) owned(ctx context.Context, fileID string, caller web.Caller) (textfile.File, error) {
	file, err := a.store.Head(ctx, fileID)
	switch {
	case err != nil || file.OwnerID == caller.Owner:
		return file, err
	case !caller.MaySee(file.OwnerID):
		return textfile.File{}, lifecycle.ErrNotFound
	}
	return file, errForeign
}

// waiting returns a PENDING file that the caller may change, for its upload in parts. It returns the errors of
// owned, and blob.ErrNoUpload.
func (a *Area) waiting(ctx context.Context, fileID string, caller web.Caller) (parts.File, error) {
	file, err := a.owned(ctx, fileID, caller)
	if err == nil && file.Status != textfile.Pending {
		err = blob.ErrNoUpload
	}
	if err != nil {
		return parts.File{}, err
	}
	return inParts(file)
}

// complete joins the parts of a PENDING file.
func (a *Area) complete(ctx context.Context, file textfile.File, uploadID string) error {
	f, err := inParts(file)
	if err != nil {
		return err
	}
	if err := a.parts.Complete(ctx, f, uploadID); err != nil {
		return err
	}
	return a.quotas.Joined(ctx, file.OwnerID, textfile.Name, file.FileID)
}

// inParts returns a file for an upload in parts. It returns blob.ErrNoUpload for a file that was
// streamed through ingest.
func inParts(file textfile.File) (parts.File, error) {
	_, size, err := textfile.ParseObjectKey(file.S3Key)
	if err == nil && size < 0 {
		err = blob.ErrNoUpload
	}
	return parts.File{Key: file.S3Key, Size: size}, err
}
