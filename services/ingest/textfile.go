package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/textfile/upload"
)

var (
	errOtherUpload = errors.New("the idempotency key was used for another upload")
	errNoOwner     = errors.New("the idempotency key comes without an owner")
	errForeign     = errors.New("the file belongs to another owner")
)

// textFiles takes text files in.
type textFiles struct {
	store   *textfile.Store
	bucket  *blob.Store
	uploads *upload.Uploads
	log     zerolog.Logger
	maxSize int64
	expires time.Duration
	places  *places // for uploads that stream through ingest
}

func newTextFiles(cfg Config, engines *engine.Engines, log zerolog.Logger) *textFiles {
	store := textfile.NewStore(engines.DB, cfg.TextFile)
	return &textFiles{
		store: store, bucket: engines.Bucket, log: log,
		uploads: &upload.Uploads{Store: store, Bucket: engines.Bucket, Bus: engines.Bus, Log: log},
		maxSize: cfg.MaxFileSize, expires: cfg.UploadExpires,
		places: newPlaces(cfg.StreamedUploads),
	}
}

// reserve writes a PENDING file for an upload. Under an idempotency key that is taken
// it returns the file of the first call, or errOtherUpload when that one had other
// terms; created says which it was.
func (t *textFiles) reserve(ctx context.Context, owner, idempotencyKey string, terms textfile.Reservation) (file textfile.File, created bool, err error) {
	if idempotencyKey != "" {
		terms.Key = textfile.KeyHash(owner, idempotencyKey)
	}
	for ctx.Err() == nil {
		id, err := textfile.NewFileID()
		if err != nil {
			return textfile.File{}, false, err
		}
		file, err := t.store.Reserve(ctx, textfile.File{
			FileID: id, OwnerID: owner, S3Bucket: t.bucket.Bucket, S3Key: terms.ObjectKey(id), FileName: terms.FileName,
		})
		if terms.Key == "" || !errors.Is(err, textfile.ErrExists) {
			return file, err == nil, err
		}
		file, err = t.first(ctx, terms)
		if !errors.Is(err, lifecycle.ErrNotFound) {
			return file, false, err
		}
		// The first call's file was deleted meanwhile, and its key with it.
	}
	return textfile.File{}, false, ctx.Err()
}

// first returns the file that was reserved under the terms' idempotency key. It
// returns errOtherUpload when it had other terms, and lifecycle.ErrNotFound when it
// does not exist, and its key neither.
func (t *textFiles) first(ctx context.Context, terms textfile.Reservation) (textfile.File, error) {
	id, err := t.store.ByKey(ctx, terms.Key)
	if err != nil {
		return textfile.File{}, err
	}
	file, err := t.store.Head(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		if forgotten := t.store.Forget(ctx, terms.Key, id); forgotten != nil {
			return textfile.File{}, forgotten
		}
	}
	if err == nil && file.S3Key != terms.ObjectKey(id) {
		err = errOtherUpload
	}
	return file, err
}

// retry makes a FAILED file PENDING and publishes it again. It returns
// upload.ErrNoBytes or upload.ErrOtherBytes for a file that has lost its bytes,
// *lifecycle.MovedError for a file in another state, and bus.ErrOutstanding
// when the last worker does not let go of it; the file is PENDING then, and a
// call of uploaded publishes it.
func (t *textFiles) retry(ctx context.Context, file textfile.File) (textfile.File, error) {
	ctx, cancel := context.WithTimeout(ctx, outstandingWait)
	defer cancel()
	if file.Status == textfile.Failed {
		if err := t.uploads.Check(ctx, file); err != nil {
			return textfile.File{}, err // it would be PENDING with nothing to analyze
		}
	}
	file, err := t.store.Retry(ctx, file)
	if err != nil {
		return textfile.File{}, err
	}
	// The worker that failed the file may not have let go of its event yet.
	for {
		confirmed, err := t.uploads.Confirm(ctx, file)
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

// remove deletes the bytes, then the items. In this order a repeat after a
// crash still knows the bytes; and the rows go last, so that nothing is said
// to be gone while it is not.
func (t *textFiles) remove(ctx context.Context, file textfile.File) error {
	if err := t.bucket.Delete(ctx, file.S3Key); err != nil {
		return err
	}
	return t.store.Delete(ctx, file)
}

// owned reads a file that owner may change. It returns lifecycle.ErrNotFound
// or errForeign.
func (t *textFiles) owned(ctx context.Context, id, owner string) (textfile.File, error) {
	file, err := t.store.Head(ctx, id)
	if err == nil && file.OwnerID != owner {
		err = errForeign
	}
	return file, err
}
