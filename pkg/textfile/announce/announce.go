// Package announce publishes the events of stored text files. Ingest and the sweep share it, so that both
// treat an upload in the same way.
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

// Announcer publishes the events of the files in Store, whose uploads are in Bucket. It is safe for
// concurrent use.
type Announcer struct {
	Store  *textfile.Store
	Bucket *blob.Store
	Bus    *bus.Bus
	Log    zerolog.Logger
}

// Confirm checks whether the object of a file exists and, while the file is PENDING, publishes FileUploaded.
// It is called for client requests, for bucket notifications and by the sweep, in any order and any number of
// times, since the event id is always the same. It returns upload.ErrNoBytes, upload.ErrOtherBytes or
// bus.ErrFull, and bus.ErrOutstanding if the previous event of a retried file is not yet acknowledged.
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

// Announce publishes FileUploaded for a PENDING file with the given object. It is the second half of
// Confirm and returns the same errors.
func (a *Announcer) Announce(ctx context.Context, file textfile.File, object blob.Object) error {
	uploaded := a.describe(file, object)
	return a.uploads().Announce(upload.Traced(ctx, object), textfile.NewUploaded(uploaded), object.Size, uploaded.RetriedAt != nil)
}

func (a *Announcer) uploads() upload.Announcer {
	return upload.Announcer{Area: textfile.Name, Bus: a.Bus, Log: a.Log}
}

// Resend publishes FileUploaded for a file in any state whose event was lost. It does so even if
// the object is missing or differs: the file then becomes FAILED with that reason. It is not an error
// if the event is still outstanding.
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

// Check returns nil if the object of a file exists and matches the reservation, otherwise
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
