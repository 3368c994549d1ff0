package photojob

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/ingest/accept"
)

// again returns the move of a FAILED job to QUEUED, with a prompt and options. It repeats the move if the outcome of a call
// was recorded concurrently.
func (a *Area) again(prompt string, options photojob.Options) accept.Change[photojob.Job] {
	return func(ctx context.Context, job photojob.Job) (photojob.Job, error) {
		again, err := a.store.Retry(ctx, job, prompt, options)
		if errors.Is(err, lifecycle.ErrCondition) {
			if job, err = a.store.Get(ctx, job.JobID); err == nil {
				again, err = a.store.Retry(ctx, job, prompt, options)
			}
		}
		return again, err
	}
}

// cancel moves a job to FAILED and announces its end. It also announces the end of a job that is already
// canceled, because the first call may have failed before the announcement.
func (a *Area) cancel(ctx context.Context, job photojob.Job) (photojob.Job, error) {
	if job.Status == photojob.Failed && job.Error != nil && job.Error.Code == photojob.CodeCanceled {
		return job, a.outcomes.Ended(ctx, job)
	}
	for {
		canceled, err := a.store.Cancel(ctx, job)
		if err == nil {
			return canceled, a.outcomes.Ended(ctx, canceled)
		}
		if !errors.Is(err, lifecycle.ErrFenceLost) {
			return job, err
		}
		if job, err = a.store.Get(ctx, job.JobID); err != nil { // a worker moved the job concurrently
			return job, err
		}
	}
}
