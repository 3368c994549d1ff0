package photojob

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// Outcomes publishes the outcomes of jobs and batches. It is safe for concurrent use.
type Outcomes struct {
	Store *Store
	Final string // name of the bucket of edited photos
	Bus   *bus.Bus
}

// Ended publishes the outcome of a job in a final state, and that of its batch if the batch has ended.
// The stream drops duplicates.
func (o *Outcomes) Ended(ctx context.Context, j Job) error {
	if err := o.Bus.Republish(ctx, j.Outcome(o.Final)); err != nil {
		return err
	}
	return o.BatchEnded(ctx, j.BatchID)
}

// BatchEnded publishes the outcome of a batch if it has ended. It is called after every move to a final
// state, and after a job that was not in a final state was deleted: if several jobs end concurrently, at
// least the last caller finds that the batch has ended. An empty id means no batch.
func (o *Outcomes) BatchEnded(ctx context.Context, batchID string) error {
	if batchID == "" {
		return nil
	}
	b, err := o.Store.Batch(ctx, batchID)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil // all of its jobs were deleted
	}
	if err != nil || !b.Ended() {
		return err
	}
	return o.Bus.Republish(ctx, b.Outcome())
}

// Outcome returns the event that announces the final state of a job. Its id contains the time of the
// move to that state, so that the stream drops duplicates. bucket is the bucket of edited photos.
func (j Job) Outcome(bucket string) event.Event {
	if j.Status == Failed {
		failed := &event.AnalysisFailed{
			Area: Name, Id: j.JobID, OwnerId: j.UserID, Name: j.OriginalFileName, FailedAt: timestamppb.New(j.Updated()),
		}
		if j.Error != nil {
			failed.ErrorCode, failed.ErrorMessage = j.Error.Code, j.Error.Message
		}
		return event.NewAnalysisFailed(failed)
	}
	edit := &event.PhotoEdit{Bucket: bucket, Key: j.S3FinalKey, Provider: ShownProvider(j.Provider), Degraded: j.Degraded, BatchId: j.BatchID}
	if r := j.EditResult; r != nil {
		edit.Width, edit.Height, edit.Format, edit.Size = float64(r.Width), float64(r.Height), r.Format, float64(r.Size)
	}
	if r := j.AnalysisResult; r != nil {
		edit.Description = r.Description
		for _, label := range r.Labels {
			edit.Labels = append(edit.Labels, &event.PhotoLabel{Name: label.Name, Confidence: label.Confidence})
		}
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: Name, Id: j.JobID, OwnerId: j.UserID, Name: j.OriginalFileName, CompletedAt: timestamppb.New(j.Updated()),
		Result: &event.AnalysisCompleted_PhotoEdit{PhotoEdit: edit},
	})
}

// Outcome returns the event that announces the end of a batch. The batch must have Ended. The event id
// contains the time of the end, so that the stream drops duplicates.
func (b Batch) Outcome() event.Event {
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: Name, Id: b.BatchID, OwnerId: b.Jobs[0].UserID, Name: b.BatchID, CompletedAt: timestamppb.New(b.Updated()),
		Result: &event.AnalysisCompleted_PhotoBatch{PhotoBatch: &event.PhotoBatch{
			Total: float64(b.Size), Completed: float64(b.Count(Completed)), Failed: float64(b.Count(Failed)),
			Deleted: float64(b.Deleted()), Status: string(b.Status()),
		}},
	})
}
