// Package announce publishes the events of photo jobs: upload finished, job ended, batch ended.
// Ingest, the analyzer and its sweep share it, so that they all publish the same event for the same
// fact.
package announce

import (
	"context"
	"errors"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
)

// Announcer publishes the events of the jobs in one table. Temp is the bucket of their uploads. It is
// safe for concurrent use.
type Announcer struct {
	Store *photojob.Store
	Temp  *blob.Store
	Final string // name of the bucket of edited photos
	Bus   *bus.Bus
	Log   zerolog.Logger
}

// Uploaded checks whether the bytes of a job exist and, while the job is QUEUED, publishes
// PhotoUploaded. It is called for client requests, for bucket notifications and by the sweep, in any order
// and any number of times, since the event id is always the same. It returns upload.ErrNoBytes,
// upload.ErrOtherBytes or bus.ErrFull, and bus.ErrOutstanding if the previous event of a retried job is
// not yet acknowledged.
func (a *Announcer) Uploaded(ctx context.Context, j photojob.Job) error {
	if j.Status != photojob.Queued {
		return nil
	}
	object, err := a.bytes(ctx, j)
	if err != nil {
		return err
	}
	if j.CorrelationID != "" {
		ctx = obs.WithTrace(ctx, j.Trace())
	}
	uploaded := a.describe(j, object)
	return a.uploads().Announce(ctx, photojob.NewUploaded(uploaded), object.Size, uploaded.RetriedAt != nil)
}

func (a *Announcer) uploads() upload.Announcer {
	return upload.Announcer{Area: photojob.Name, Bus: a.Bus, Log: a.Log}
}

// Resend publishes PhotoUploaded for a job in any state whose event was lost. It does so even if the
// bytes are missing or differ: the job then becomes FAILED with that reason. It is not an error if the
// event is still outstanding.
func (a *Announcer) Resend(ctx context.Context, j photojob.Job) error {
	object, err := a.bytes(ctx, j)
	if err != nil && !errors.Is(err, upload.ErrNoBytes) && !errors.Is(err, upload.ErrOtherBytes) {
		return err
	}
	return a.uploads().Resend(ctx, photojob.NewUploaded(a.describe(j, object)))
}

// Check returns nil if the bytes of a job exist and match the reservation, otherwise
// upload.ErrNoBytes or upload.ErrOtherBytes.
func (a *Announcer) Check(ctx context.Context, j photojob.Job) error {
	_, err := a.bytes(ctx, j)
	return err
}

func (a *Announcer) bytes(ctx context.Context, j photojob.Job) (blob.Object, error) {
	return upload.Find(ctx, a.Temp, j.S3TempKey, j.FileSize)
}

func (a *Announcer) describe(j photojob.Job, object blob.Object) *event.PhotoUploaded {
	uploaded := &event.PhotoUploaded{
		JobId: j.JobID, OwnerId: j.UserID, FileName: j.OriginalFileName, Bucket: a.Temp.Bucket, Key: j.S3TempKey, Etag: object.ETag,
		Size: float64(j.FileSize), ContentType: j.FileType, UploadedAt: timestamppb.New(object.Modified),
		Route: j.Route(), BatchId: j.BatchID,
	}
	if j.Status == photojob.Queued && j.Retried() {
		uploaded.RetriedAt = timestamppb.New(j.Updated())
	}
	return uploaded
}

// Ended publishes the outcome of a job in a final state, and that of its batch if the batch has ended.
// The stream drops duplicates.
func (a *Announcer) Ended(ctx context.Context, j photojob.Job) error {
	if err := a.Bus.Republish(ctx, j.Outcome(a.Final)); err != nil {
		return err
	}
	return a.BatchEnded(ctx, j.BatchID)
}

// BatchEnded publishes the outcome of a batch if it has ended. It is called after every move to a final
// state, and after a job that was not in a final state was deleted: if several jobs end concurrently, at
// least the last caller finds that the batch has ended. An empty id means no batch.
func (a *Announcer) BatchEnded(ctx context.Context, batchID string) error {
	if batchID == "" {
		return nil
	}
	b, err := a.Store.Batch(ctx, batchID)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil // all of its jobs were deleted
	}
	if err != nil || !b.Ended() {
		return err
	}
	return a.Bus.Republish(ctx, b.Outcome())
}
