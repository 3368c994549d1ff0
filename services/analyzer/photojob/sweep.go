package photojob

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// Codes of findings that are specific to photo jobs.
const (
	unnotifiedUpload = "unnotified_upload" // an uploaded object without a notification; the event is published
	mismatchedObject = "mismatched_object" // an object whose length differs from the reservation; the job becomes FAILED
	overdueJob       = "overdue_job"       // not completed within the deadline, or never uploaded; the job becomes FAILED
	outdatedObject   = "outdated_object"   // an object that an ended job no longer needs; deleted
)

// Findings returns the codes of findings besides those of package sweeper.
func (a *Area) Findings() []string {
	return []string{unnotifiedUpload, mismatchedObject, overdueJob, outdatedObject}
}

// sweep repairs jobs and deletes objects.
type sweep struct {
	steps
	counting *sweeper.Counting
}

// Scan returns the jobs of a page, except for overdue ones. It fails those, even if they have a message.
func (s sweep) Scan(ctx context.Context, r *sweeper.Run, cursor string) (jobs []photojob.Job, next string, read int, err error) {
	page, err := s.store.Scan(ctx, cursor, photojob.ScanLimit)
	if err != nil {
		return nil, "", 0, err
	}
	for _, broken := range page.Broken {
		r.Found(ctx, sweeper.UnreadableItem, broken.JobID, func(context.Context) error { return broken.Err })
	}
	countable := make([]sweeper.Countable, len(page.Jobs))
	for i, job := range page.Jobs {
		countable[i] = sweeper.Countable{ID: quota.ID{Owner: job.UserID, ID: job.JobID}, Bytes: job.FileSize, Created: job.Created()}
	}
	if err := s.counting.Items(ctx, r, countable); err != nil {
		return nil, "", 0, err
	}
	for _, job := range page.Jobs {
		if job.Final() || !r.Older(job.Begun(), s.cfg.Deadline) {
			jobs = append(jobs, job)
			continue
		}
		r.Found(ctx, overdueJob, job.JobID, func(ctx context.Context) error { return s.expire(ctx, job) })
	}
	return jobs, page.Next, page.Items, nil
}

// exist returns the ids of the jobs that exist.
func (a *Area) exist(ctx context.Context, ids []string) (map[string]bool, error) {
	jobs, err := a.store.Jobs(ctx, ids)
	found := make(map[string]bool, len(jobs))
	for id := range jobs {
		found[id] = true
	}
	return found, err
}

// expire fails an overdue job.
func (s sweep) expire(ctx context.Context, job photojob.Job) error {
	failed, err := s.late(ctx, job)
	if err != nil {
		return err
	}
	if job.Status == photojob.Queued && !job.Retried() {
		_, err := upload.Find(ctx, job.Upload(s.temp))
		if errors.Is(err, upload.ErrNoBytes) {
			failed = photojob.JobError{Code: photojob.CodeUploadExpired, Message: reason.PhotoNotUploaded.Error()}
		} else if err != nil && !errors.Is(err, upload.ErrOtherBytes) {
			return err
		}
	}
	return s.fail(ctx, job, failed)
}

// late returns the error of a job that did not finish in time. It states why the requested provider cannot be called now,
// or the error of the last call, if there is one.
func (s sweep) late(ctx context.Context, job photojob.Job) (photojob.JobError, error) {
	failed := photojob.JobError{Code: photojob.CodeDeadlineExceeded, Message: "the job did not finish in time"}
	if route := job.Route(); route != photojob.Stub {
		held, err := s.catalog.holds(ctx, route)
		if err != nil {
			return failed, err
		}
		if held != nil {
			failed.Message += ": " + held.Summary(route)
		}
	}
	if job.Error != nil {
		failed.Message += "; the last attempt: " + job.Error.Message
		failed.RetryCount = job.Error.RetryCount
	}
	return failed, nil
}

func (s sweep) fail(ctx context.Context, job photojob.Job, reason photojob.JobError) error {
	failed, err := s.store.Fail(ctx, job, reason)
	if err != nil {
		return err
	}
	if err := s.worker.Announce(ctx, s.Name(), failed.Outcome(s.final.Bucket)); err != nil {
		return err
	}
	return s.outcomes.BatchEnded(ctx, failed.BatchID)
}

func (sweep) ID(job photojob.Job) string { return job.JobID }

func (sweep) Changed(job photojob.Job) (time.Time, error) { return job.Updated(), nil }

func (s sweep) Outstanding(ctx context.Context, job photojob.Job) (bool, error) {
	return s.bus.Outstanding(ctx, photojob.UploadedSubject(job.Route(), job.JobID), job.UserID)
}

// Recover publishes the end of the job's batch again. A FAILED job can be retried without its dead
// letter.
func (s sweep) Recover(ctx context.Context, _ *sweeper.Run, job photojob.Job, _ event.Event) error {
	return s.outcomes.BatchEnded(ctx, job.BatchID)
}

func (s sweep) Repair(ctx context.Context, r *sweeper.Run, job photojob.Job) error {
	if job.Status != photojob.Queued || job.Retried() {
		// The upload was accepted before, so the job becomes FAILED if its object is missing.
		r.Found(ctx, sweeper.LostMessage, job.JobID, func(ctx context.Context) error { return s.uploads.Resend(ctx, job.Upload(s.temp)) })
		return nil
	}
	_, err := upload.Find(ctx, job.Upload(s.temp))
	switch {
	case err == nil:
		r.Found(ctx, unnotifiedUpload, job.JobID, func(ctx context.Context) error { return s.uploads.Confirm(ctx, job.Upload(s.temp)) })
	case errors.Is(err, upload.ErrOtherBytes):
		r.Found(ctx, mismatchedObject, job.JobID, func(ctx context.Context) error {
			return s.fail(ctx, job, photojob.JobError{Code: photojob.CodeUploadMismatch, Message: reason.Of(err)})
		})
	case !errors.Is(err, upload.ErrNoBytes):
		return err
	case r.Old(job.Created()):
		r.Found(ctx, overdueJob, job.JobID, func(ctx context.Context) error { return s.expire(ctx, job) })
	}
	return nil
}
