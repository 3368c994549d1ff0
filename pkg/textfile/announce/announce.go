// Package announce publishes the events of stored text files. Ingest and the sweep share it, so both
// treat an upload the same way.
package announce

import (
	"context"
	"errors"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
)

// Announcer publishes the events of the files of a table, whose uploads are in Bucket. It is safe for
// concurrent use.
type Announcer struct {
	Store  *textfile.Store
	Bucket *blob.Store
	Bus    *bus.Bus
	Log    zerolog.Logger
}

// Confirm checks whether the object of a file exists and, while the file is PENDING, publishes FileUploaded.
// The client's call, the bucket's notification and the sweep all call it, in any order and any number of
// times, since the event id is the same. It returns upload.ErrNoBytes, upload.ErrOtherBytes or bus.ErrFull.
// It returns bus.ErrOutstanding if the last worker of a retried file has not acknowledged its event yet.
func (a *Announcer) Confirm(ctx context.Context, file textfile.File) (textfile.File, error) {
	if file.Status != textfile.Pending {
		return file, nil
	}
	object, err := a.bytes(ctx, file)
	if err != nil {
		return file, err
	}
	return file, a.Announce(ctx, file, object)
}

// Announce publishes FileUploaded of a PENDING file with this object. It is the second half of
// Confirm and returns the same errors.
func (a *Announcer) Announce(ctx context.Context, file textfile.File, object blob.Object) error {
	uploaded := a.describe(file, object)
	return a.uploads().Announce(upload.Traced(ctx, object), textfile.NewUploaded(uploaded), object.Size, uploaded.RetriedAt != nil)
}

func (a *Announcer) uploads() upload.Announcer {
	return upload.Announcer{Area: textfile.Name, Bus: a.Bus, Log: a.Log}
}

// Resend publishes FileUploaded of a file whose event was lost, in any state. It does so even if
// the object is missing or differs: the analysis then ends as FAILED and states the reason. An
// event already outstanding is not an error.
func (a *Announcer) Resend(ctx context.Context, file textfile.File) error {
	object, err := a.bytes(ctx, file)
	if err != nil && !errors.Is(err, upload.ErrNoBytes) && !errors.Is(err, upload.ErrOtherBytes) {
		return err
	}
	return a.uploads().Resend(ctx, textfile.NewUploaded(a.describe(file, object)))
}

func (a *Announcer) bytes(ctx context.Context, file textfile.File) (blob.Object, error) {
	_, reserved, err := textfile.ParseObjectKey(file.S3Key)
	if err != nil {
		return blob.Object{}, err
	}
	return upload.Find(ctx, a.Bucket, file.S3Key, reserved)
}

// Check returns nil when the object of a file exists as reserved, otherwise
// upload.ErrNoBytes or upload.ErrOtherBytes.
func (a *Announcer) Check(ctx context.Context, file textfile.File) error {
	_, err := a.bytes(ctx, file)
	return err
}

func (a *Announcer) describe(file textfile.File, object blob.Object) *event.FileUploaded {
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
