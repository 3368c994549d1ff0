package textfile

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
)

// errOtherUpload reports that an idempotency key was used for another upload.
var errOtherUpload = errors.New("the idempotency key was used for another upload")

// reserve writes a PENDING file for an upload. For a used idempotency key, it returns the file of the first
// call, or errOtherUpload if the terms differ. created reports whether this call wrote the file. counted states
// the size that counts toward quotas; it may be known even if the size in terms is not.
func (a *Area) reserve(ctx context.Context, owner, idempotencyKey string, terms textfile.Reservation, counted quota.Item) (file textfile.File, created bool, err error) {
	if idempotencyKey != "" {
		terms.Key = textfile.KeyHash(owner, idempotencyKey)
	}
	for ctx.Err() == nil {
		id, err := textfile.NewFileID()
		if err != nil {
			return textfile.File{}, false, err
		}
		counted.Area, counted.ID = textfile.Name, id
		reserved, refused := a.quotas.Reserve(ctx, owner, counted)
		if refused == nil {
			file, err := a.store.Reserve(ctx, textfile.File{
				FileID: id, OwnerID: owner, S3Bucket: a.bucket.Bucket, S3Key: terms.ObjectKey(id), FileName: terms.FileName,
			})
			if errors.Is(err, textfile.ErrExists) {
				reserved.Undo(ctx)
			}
			if terms.Key == "" || !errors.Is(err, textfile.ErrExists) {
				return file, err == nil, err
			}
		} else if terms.Key == "" {
			return textfile.File{}, false, refused
		}
		file, err := a.first(ctx, terms)
		if !errors.Is(err, lifecycle.ErrNotFound) {
			return file, false, err
		}
		if refused != nil {
			return textfile.File{}, false, refused
		}
		// The file of the first call was deleted together with its key.
	}
	return textfile.File{}, false, ctx.Err()
}

// first returns the file that was reserved under the terms' idempotency key. It returns
// errOtherUpload if the terms differ, and lifecycle.ErrNotFound if neither the file nor its key
// exists.
func (a *Area) first(ctx context.Context, terms textfile.Reservation) (textfile.File, error) {
	id, err := a.store.ByKey(ctx, terms.Key)
	if err != nil {
		return textfile.File{}, err
	}
	file, err := a.store.Head(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		if forgotten := a.store.Forget(ctx, terms.Key, id); forgotten != nil {
			return textfile.File{}, forgotten
		}
	}
	if err == nil && file.S3Key != terms.ObjectKey(id) {
		err = errOtherUpload
	}
	return file, err
}
