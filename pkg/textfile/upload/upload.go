// Package upload publishes work for stored objects: it checks whether a file's object exists and
// publishes FileUploaded. Ingest and the sweep share it, so both treat an upload the same way.
package upload

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/textfile"
)

var (
	// ErrNoBytes means that the bytes of a file are not in the bucket.
	ErrNoBytes = errors.New("the file's bytes are not in the bucket")
	// ErrOtherBytes means that the bytes do not have the reserved length.
	ErrOtherBytes = errors.New("the file's bytes do not match the reservation")
)

// Uploads are the files of a table and the bytes in a bucket. It is safe for
// concurrent use.
type Uploads struct {
	Store  *textfile.Store
	Bucket *blob.Store
	Bus    *bus.Bus
	Log    zerolog.Logger
}

// Metadata names under which a reservation's trace is stored with its object, so that the trace
// reaches the event however the upload is noticed.
const (
	metaRequestID = "request-id"
	metaParent    = "traceparent"
)

// Metadata returns the metadata to store with an object that the client uploads itself.
func Metadata(ctx context.Context) map[string]string {
	trace := obs.TraceFrom(ctx)
	return map[string]string{metaRequestID: trace.RequestID, metaParent: trace.Parent}
}

// Confirm checks whether the object of a file exists and, while the file is PENDING, publishes
// FileUploaded. The client's call, the bucket's notice and the sweep all end here, in any order and
// number: the event's id is the same. It returns ErrNoBytes, ErrOtherBytes or bus.ErrFull; and
// bus.ErrOutstanding when the last worker of a retried file has not yet acknowledged its event.
func (u *Uploads) Confirm(ctx context.Context, file textfile.File) (textfile.File, error) {
	if file.Status != textfile.Pending {
		return file, nil
	}
	object, err := u.bytes(ctx, file)
	if err != nil {
		return file, err
	}
	return file, u.Announce(ctx, file, object)
}

// Announce publishes FileUploaded of a PENDING file with this object. It is the second half of
// Confirm and returns the same errors.
func (u *Uploads) Announce(ctx context.Context, file textfile.File, object blob.Object) error {
	uploaded := u.describe(file, object)
	if id := object.Metadata[metaRequestID]; id != "" {
		ctx = obs.WithTrace(ctx, obs.ContinueTrace(id, object.Metadata[metaParent], ""))
	}
	err := u.Bus.Publish(ctx, textfile.NewUploaded(uploaded))
	if errors.Is(err, bus.ErrOutstanding) && uploaded.RetriedAt == nil {
		return nil // noticed before
	}
	if err != nil {
		return err
	}
	log := obs.Log(ctx, u.Log)
	log.Info().Str("area", textfile.Name).Str("id", file.FileID).Int64("size", object.Size).Msg("upload detected")
	return nil
}

// Resend publishes FileUploaded of a file whose event was lost, in any state. It does so even if
// the object is missing or differs: the analysis then ends as FAILED and states the reason. An
// event already outstanding is not an error.
func (u *Uploads) Resend(ctx context.Context, file textfile.File) error {
	object, err := u.bytes(ctx, file)
	if err != nil && !errors.Is(err, ErrNoBytes) && !errors.Is(err, ErrOtherBytes) {
		return err
	}
	if err := u.Bus.Publish(ctx, textfile.NewUploaded(u.describe(file, object))); !errors.Is(err, bus.ErrOutstanding) {
		return err
	}
	return nil
}

// bytes reads the metadata of a file's object. It returns ErrNoBytes, or ErrOtherBytes with the
// object that exists.
func (u *Uploads) bytes(ctx context.Context, file textfile.File) (blob.Object, error) {
	object, err := u.Bucket.Head(ctx, file.S3Key)
	if errors.Is(err, blob.ErrNotFound) {
		return object, ErrNoBytes
	}
	if err != nil {
		return object, err
	}
	_, reserved, err := textfile.ParseObjectKey(file.S3Key)
	if err != nil {
		return object, err
	}
	if reserved >= 0 && object.Size != reserved {
		return object, fmt.Errorf("%w: %d bytes instead of %d", ErrOtherBytes, object.Size, reserved)
	}
	return object, nil
}

// Check returns nil when the object of a file exists as reserved, otherwise ErrNoBytes or
// ErrOtherBytes.
func (u *Uploads) Check(ctx context.Context, file textfile.File) error {
	_, err := u.bytes(ctx, file)
	return err
}

func (u *Uploads) describe(file textfile.File, object blob.Object) *event.FileUploaded {
	uploaded := &event.FileUploaded{
		FileId: file.FileID, OwnerId: file.OwnerID, FileName: file.FileName,
		Bucket: file.S3Bucket, Key: file.S3Key, Etag: object.ETag,
		Size: float64(object.Size), ContentType: object.ContentType,
		UploadedAt: timestamppb.New(object.Modified),
	}
	if file.Status == textfile.Pending {
		uploaded.PendingSince = timestamppb.New(file.Updated())
		if file.Retried() {
			uploaded.RetriedAt = uploaded.PendingSince
		}
	}
	return uploaded
}
