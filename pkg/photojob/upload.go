package photojob

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/upload"
)

// uploads maps the states of a job to those of its upload. In the others it is Settled.
var uploads = map[lifecycle.State]upload.State{Queued: upload.Waiting, Failed: upload.Failed}

// Upload describes the upload of a job, whose object is in the bucket of uploads. Its event is PhotoUploaded.
func (j Job) Upload(temp *blob.Store) upload.Item {
	again := j.Status == Queued && j.Retried()
	return upload.Item{
		Area: Name, ID: j.JobID, Owner: j.UserID, Bucket: temp, Key: j.S3TempKey, Size: j.FileSize,
		State: uploads[j.Status], Status: string(j.Status), Created: j.Created(), Updated: j.Updated(), Again: again, Stored: j.Status == Failed,
		Event: func(object blob.Object) event.Event {
			uploaded := &event.PhotoUploaded{
				JobId: j.JobID, OwnerId: j.UserID, FileName: j.OriginalFileName, Bucket: temp.Bucket, Key: j.S3TempKey, Etag: object.ETag,
				Size: float64(j.FileSize), ContentType: j.FileType, UploadedAt: timestamppb.New(object.Modified),
				Route: j.Route(), BatchId: j.BatchID, CreatedAt: timestamppb.New(j.Created()),
			}
			if again {
				uploaded.RetriedAt = timestamppb.New(j.Updated())
			}
			return NewUploaded(uploaded)
		},
		Traced: func(ctx context.Context) context.Context {
			if j.CorrelationID == "" {
				return ctx
			}
			return j.Trace(ctx)
		},
	}
}
