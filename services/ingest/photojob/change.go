package photojob

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
)

// errGone means that the upload of a FAILED job was deleted.
var errGone = errors.New("the uploaded photo has been removed")

const (
	outstandingPause = 50 * time.Millisecond
	outstandingWait  = 10 * time.Second
)

// retry moves a FAILED job to QUEUED and publishes its work. It returns the errors of requeue and of
// publish.
func (a *Area) retry(ctx context.Context, job photojob.Job, prompt string, options photojob.Options) (photojob.Job, error) {
	again, err := a.requeue(ctx, job, prompt, options)
	if err != nil {
		return photojob.Job{}, err
	}
	return again, a.publish(ctx, again)
}

// requeue moves a FAILED job to QUEUED. It returns errGone if the upload was deleted, and the errors
// of a move.
func (a *Area) requeue(ctx context.Context, job photojob.Job, prompt string, options photojob.Options) (photojob.Job, error) {
	if job.Status == photojob.Failed {
		err := a.announcer.Check(ctx, job)
		if errors.Is(err, upload.ErrNoBytes) || errors.Is(err, upload.ErrOtherBytes) {
			return photojob.Job{}, errGone
		}
		if err != nil {
			return photojob.Job{}, err
		}
	}
	again, err := a.store.Retry(ctx, job, prompt, options)
	if errors.Is(err, lifecycle.ErrCondition) { // the outcome of a call was recorded concurrently
		if job, err = a.store.Get(ctx, job.JobID); err == nil {
			again, err = a.store.Retry(ctx, job, prompt, options)
		}
	}
	return again, err
}

// publish publishes the work for a job that is QUEUED again. It returns bus.ErrOutstanding if the
// last worker does not acknowledge its message in time; a later uploaded call or a sweep then
// publishes the work.
func (a *Area) publish(ctx context.Context, again photojob.Job) error {
	ctx, cancel := context.WithTimeout(ctx, outstandingWait)
	defer cancel()
	for {
		err := a.announcer.Uploaded(ctx, again)
		if !errors.Is(err, bus.ErrOutstanding) {
			return err
		}
		select { // the worker that failed the job has not acknowledged its message yet
		case <-ctx.Done():
			return err
		case <-time.After(outstandingPause):
		}
	}
}

// cancel moves a job to FAILED and announces its end. It also announces the end of a job that is already
// canceled, because the first call may have failed before the announcement.
func (a *Area) cancel(ctx context.Context, job photojob.Job) (photojob.Job, error) {
	if job.Status == photojob.Failed && job.Error != nil && job.Error.Code == photojob.CodeCanceled {
		return job, a.announcer.Ended(ctx, job)
	}
	for {
		canceled, err := a.store.Cancel(ctx, job)
		if err == nil {
			return canceled, a.announcer.Ended(ctx, canceled)
		}
		if !errors.Is(err, lifecycle.ErrFenceLost) {
			return job, err
		}
		if job, err = a.store.Get(ctx, job.JobID); err != nil { // a worker moved the job concurrently
			return job, err
		}
	}
}

// remove deletes the photos, then the item, then objects that a worker has stored in between. A
// retry after a crash still finds the keys in the item. A worker that is processing the job fails
// to move it and deletes its objects. A sweep deletes any that remain.
func (a *Area) remove(ctx context.Context, job photojob.Job) error {
	if err := a.withdrawn.Add(ctx, photojob.Name, job.JobID, job.Created()); err != nil {
		return err
	}
	if err := a.removePhotos(ctx, job); err != nil {
		return err
	}
	removed, err := a.store.Delete(ctx, job.JobID)
	if err == nil || errors.Is(err, lifecycle.ErrNotFound) {
		err = errors.Join(err, a.quotas.Released(ctx, job.UserID, photojob.Name, job.JobID))
	}
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	if err == nil && removed.UpdatedAt != job.UpdatedAt {
		err = a.removePhotos(ctx, removed)
	}
	if err != nil || removed.Final() {
		return err
	}
	return a.announcer.BatchEnded(ctx, job.BatchID)
}

// removePhotos deletes the upload, the responses and the edited photo of a job, with its previews.
func (a *Area) removePhotos(ctx context.Context, job photojob.Job) error {
	keys := []string{job.S3TempKey}
	for _, call := range job.Calls.Calls() {
		keys = append(keys, photojob.AnswerKey(job.JobID, call.N))
	}
	for _, key := range keys {
		if err := a.temp.Delete(ctx, key); err != nil {
			return err
		}
	}
	if job.S3FinalKey == "" {
		return nil
	}
	for _, key := range photojob.ResultKeys(job.S3FinalKey) {
		if err := a.final.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
