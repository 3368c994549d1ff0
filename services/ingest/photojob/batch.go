package photojob

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
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

type batchResponse struct {
	BatchID string        `json:"batchId" doc:"a ULID"`
	Photos  []batchUpload `json:"photos" doc:"in the order of the request"`
}

type batchUpload struct {
	JobID  string         `json:"jobId"`
	Upload blob.Presigned `json:"upload" doc:"the request that uploads the photo; send exactly these headers"`
}

func (a *Area) postBatch(ctx context.Context, in *batchInput) (*accept.Located[batchResponse], error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	all := make([]photojob.Terms, len(in.Body.Photos))
	for i, photo := range in.Body.Photos {
		if photo.Prompt == "" {
			photo.Prompt = in.Body.Prompt
		}
		var err error
		if all[i], err = checked(photo.terms(in.Body.Options), fmt.Sprintf("body.photos[%d].", i)); err != nil {
			return nil, err
		}
	}
	batch, err := a.createBatch(ctx, in.OwnerID, in.IdempotencyKey, all)
	if err != nil {
		return nil, err
	}
	out := &accept.Located[batchResponse]{Location: "/v1/photo-batches/" + batch.BatchID, Body: batchResponse{batch.BatchID, []batchUpload{}}}
	for _, job := range batch.Jobs {
		requested := slices.IndexFunc(all, func(t photojob.Terms) bool { return t.ReservedAs(job) })
		signed, err := a.sign(ctx, job, all[requested].SHA256)
		if err != nil {
			return nil, err
		}
		out.Body.Photos = append(out.Body.Photos, batchUpload{JobID: job.JobID, Upload: signed})
	}
	return out, nil
}

// ownedBatch returns a batch of the caller.
func (a *Area) ownedBatch(ctx context.Context, id string, caller web.Caller) (photojob.Batch, error) {
	batch, err := a.store.Batch(ctx, id)
	if err == nil && batch.Jobs[0].UserID != caller.Owner {
		return batch, lifecycle.ErrNotFound
	}
	return batch, err
}

type batchOutput struct{ Body photojob.BatchView }

// retryBatch queues the FAILED jobs again, except those whose upload was deleted. All are QUEUED
// before the first is published, so that the batch finishes once, not once for each job. The response
// contains the batch at that time: a job in it is FAILED only if it was not queued.
func (a *Area) retryBatch(ctx context.Context, batch photojob.Batch) (photojob.Batch, error) {
	var queued []photojob.Job
	for _, job := range batch.Jobs {
		if job.Status != photojob.Failed {
			continue
		}
		again, err := a.Requeue(ctx, job, a.again(job.Prompt, job.Options))
		_, moved := errors.AsType[*lifecycle.MovedError](err)
		switch {
		case err == nil:
			queued = append(queued, again)
		case !moved && !upload.Absent(err) && !errors.Is(err, lifecycle.ErrFenceLost) && !errors.Is(err, lifecycle.ErrNotFound):
			return batch, err
		}
	}
	batch, err := a.store.Batch(ctx, batch.BatchID)
	for i := 0; err == nil && i < len(queued); i++ {
		err = a.Publish(ctx, queued[i])
	}
	return batch, err
}

// removeBatch deletes the jobs of a batch. The end of a deleted batch is not announced.
func (a *Area) removeBatch(ctx context.Context, batch photojob.Batch) (photojob.Batch, error) {
	for _, job := range batch.Jobs {
		if _, err := a.Remove(ctx, job); err != nil {
			return batch, err
		}
	}
	return batch, nil
}
