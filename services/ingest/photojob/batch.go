package photojob

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
)

type batchInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns what the first call created; a call with other parameters gets 422"`
	Body           struct {
		Prompt  string           `json:"prompt,omitempty" maxLength:"2000" doc:"default prompt of the photos"`
		Options photojob.Options `json:"options,omitempty"`
		Photos  []PhotoTerms     `json:"photos" minItems:"1" maxItems:"20"`
	}
}

type batchOutput struct {
	Location string `header:"Location"`
	Body     struct {
		BatchID string        `json:"batchId" doc:"a ULID"`
		Photos  []batchUpload `json:"photos" doc:"in the order of the request"`
	}
}

type batchUpload struct {
	JobID  string         `json:"jobId"`
	Upload blob.Presigned `json:"upload" doc:"the request that uploads the photo; send exactly these headers"`
}

func (a *Area) postBatch(ctx context.Context, in *batchInput) (*batchOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, a.problem(err)
	}
	all := make([]photojob.Terms, len(in.Body.Photos))
	for i, photo := range in.Body.Photos {
		if photo.Prompt == "" {
			photo.Prompt = in.Body.Prompt
		}
		var err error
		if all[i], err = checked(photo.terms(in.Body.Options), fmt.Sprintf("body.photos[%d].", i)); err != nil {
			return nil, a.problem(err)
		}
	}
	batch, err := a.createBatch(ctx, in.OwnerID, in.IdempotencyKey, all)
	if err != nil {
		return nil, a.problem(err)
	}
	digests := map[string]string{} // by upload key
	for _, job := range batch.Jobs {
		for _, t := range all {
			if t.UploadKey(job.JobID) == job.S3TempKey {
				digests[job.S3TempKey] = t.SHA256
			}
		}
	}
	out := &batchOutput{Location: "/v1/photo-batches/" + batch.BatchID}
	out.Body.BatchID, out.Body.Photos = batch.BatchID, []batchUpload{}
	for _, job := range batch.Jobs {
		signed, err := a.sign(ctx, job, digests[job.S3TempKey])
		if err != nil {
			return nil, err
		}
		out.Body.Photos = append(out.Body.Photos, batchUpload{JobID: job.JobID, Upload: signed})
	}
	return out, nil
}

type batchChangeInput struct {
	web.CallerParam
	ID string `path:"id" doc:"a ULID"`
}

// batch returns a batch of the caller.
func (a *Area) batch(ctx context.Context, in *batchChangeInput) (photojob.Batch, error) {
	batch, err := a.store.Batch(ctx, in.ID)
	if err == nil && batch.Jobs[0].UserID != in.Caller.Owner {
		return batch, lifecycle.ErrNotFound
	}
	return batch, err
}

type batchRetryOutput struct{ Body photojob.BatchView }

// postBatchRetry queues the FAILED jobs again, except those whose upload was deleted. All are QUEUED
// before the first is published, so that the batch finishes once, not once for each job. The response
// contains the batch at that time: a job in it is FAILED only if it was not queued.
func (a *Area) postBatchRetry(ctx context.Context, in *batchChangeInput) (*batchRetryOutput, error) {
	batch, err := a.batch(ctx, in)
	if err != nil {
		return nil, a.problem(err)
	}
	var queued []photojob.Job
	for _, job := range batch.Jobs {
		if job.Status != photojob.Failed {
			continue
		}
		again, err := a.Requeue(ctx, job, a.Retry)
		_, moved := errors.AsType[*lifecycle.MovedError](err)
		switch {
		case err == nil:
			queued = append(queued, again)
		case !moved && !upload.Absent(err) && !errors.Is(err, lifecycle.ErrFenceLost) && !errors.Is(err, lifecycle.ErrNotFound):
			return nil, a.problem(err)
		}
	}
	if batch, err = a.batch(ctx, in); err != nil {
		return nil, a.problem(err)
	}
	for _, job := range queued {
		if err := a.Publish(ctx, job); err != nil {
			return nil, a.problem(err)
		}
	}
	return &batchRetryOutput{Body: batch.View()}, nil
}

func (a *Area) deleteBatch(ctx context.Context, in *batchChangeInput) (*struct{}, error) {
	batch, err := a.batch(ctx, in)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, nil
	}
	for i := 0; err == nil && i < len(batch.Jobs); i++ {
		job := batch.Jobs[i]
		job.BatchID = "" // the end of a deleted batch is not announced
		err = a.Discard(ctx, job)
	}
	return nil, a.problem(err)
}
