package photojob

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/work"
)

// steps implements the steps from PhotoUploaded to the outcome.
type steps struct{ *Area }

// codedError is the reason why a job fails, with its error code.
type codedError struct {
	code  string
	err   error
	calls int // calls to providers that the failed step made; 0 if none was made
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// permanent returns an error that ends a job as FAILED with a code.
func permanent(code string, err error) error {
	return bus.Permanent(&codedError{code: code, err: err})
}

// exhausted returns an error that ends a job as FAILED with a code, after a number of calls.
func exhausted(code string, err error, calls int) error {
	return bus.Permanent(&codedError{code, err, calls})
}

// attemptsOf returns the number of deliveries of a job or, if it is higher, of calls that its failed step made: the
// repetition of a call does not count as an attempt at the message.
func attemptsOf(deliveries int, cause error) int {
	if coded, ok := errors.AsType[*codedError](cause); ok {
		return max(deliveries, coded.calls)
	}
	return deliveries
}

func (s steps) Get(ctx context.Context, id string) (photojob.Job, error) {
	if !photojob.ValidID(id) {
		return photojob.Job{}, lifecycle.ErrNotFound // no job can have this id
	}
	return s.store.Get(ctx, id)
}

// Claim delays the job while a provider may still respond to the call of a worker that has crashed
// or lost its connection to NATS.
func (s steps) Claim(ctx context.Context, d *bus.Delivery) (photojob.Job, error) {
	uploaded, err := readUploaded(d)
	if err != nil {
		return photojob.Job{}, bus.Permanent(err)
	}
	job, err := s.Get(ctx, uploaded.JobId)
	switch {
	case err != nil || job.Final():
		return job, err
	case job.Status == photojob.Queued:
		if err := s.renew(ctx, d, uploaded, job); err != nil {
			return job, err
		}
		return s.store.Claim(ctx, job)
	case job.Status == photojob.Processing:
		return s.store.TakeOver(ctx, job)
	}
	if err := s.awaitAnswer(ctx, job); err != nil {
		return job, err
	}
	return s.store.Resume(ctx, job, job, photojob.Call{})
}

// errReplaced means that a job was deleted and created again after the event of a delivery.
var errReplaced = errors.New("the job was deleted and created again")

// replacedWait is the interval at which a worker looks for the content of a job that was created again.
const replacedWait = time.Second

// renew replaces an event about a deleted job that had the id of this one by the event of this job. As long as there is no
// content, it returns an error that delays the delivery: its message prevents another one about the job, so it must not be
// dropped. If it is for another provider, it waits until the job has ended.
func (s steps) renew(ctx context.Context, d *bus.Delivery, uploaded *event.PhotoUploaded, job photojob.Job) error {
	if uploaded.Key == job.S3TempKey {
		return nil
	}
	item := job.Upload(s.temp)
	object, err := upload.Find(ctx, item)
	if upload.Absent(err) || err == nil && uploaded.Route != job.Route() {
		return bus.Later(errReplaced, replacedWait)
	}
	if err == nil {
		d.Event = item.Event(object).Data
	}
	return err
}

// finished is a job before and after its completion.
type finished struct{ before, after photojob.Job }

// Process reads the upload and makes the calls that the job requires.
func (s steps) Process(ctx context.Context, d *bus.Delivery, job photojob.Job) (finished, error) {
	uploaded, err := readUploaded(d)
	if err != nil {
		return finished{}, bus.Permanent(err)
	}
	e := &editing{steps: s, job: job, waitingSince: d.Stored}
	if e.photo, e.mediaType, err = s.fetch(ctx, job, uploaded.Etag); err != nil {
		return finished{}, err
	}
	f, err := e.run(ctx)
	if errors.Is(err, lifecycle.ErrNotFound) { // deleted concurrently
		err = errors.Join(err, s.removeAnswers(ctx, e.job))
	}
	return f, err
}

// Finish completes the job. If the job was canceled, deleted or taken over concurrently, it still
// records the cost of the last call, and deletes the edited photo if no worker can need it. For a
// deleted job, it also deletes the stored responses.
func (s steps) Finish(ctx context.Context, _ photojob.Job, f finished) (photojob.Job, error) {
	job, err := s.store.Complete(ctx, f.before, f.after)
	if err == nil {
		if s.cfg.KeepOriginal {
			return job, nil
		}
		return job, s.temp.Delete(ctx, job.S3TempKey) // if this fails, a sweep deletes the upload
	}
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	if !moved && !errors.Is(err, lifecycle.ErrFenceLost) && !errors.Is(err, lifecycle.ErrNotFound) {
		return job, err
	}
	last, _ := f.after.Calls.Last()
	if recorded := s.store.RecordCallOutcome(ctx, f.before.JobID, last); recorded != nil {
		return job, recorded
	}
	found, read := s.store.Get(ctx, f.before.JobID)
	switch {
	case read != nil && !errors.Is(read, lifecycle.ErrNotFound):
		return job, read
	case read == nil && !found.Final():
		return job, err // the other worker may complete the job with this photo; otherwise, a sweep deletes it
	case found.S3FinalKey == f.after.EditResult.S3Key:
		return job, err // completed by another worker, or by this one although the response to its write was lost
	}
	for _, key := range photojob.ResultKeys(f.after.EditResult.S3Key, f.after.EditResult) {
		if removed := s.final.Delete(ctx, key); removed != nil {
			return job, removed
		}
	}
	if read != nil { // deleted
		err = errors.Join(err, s.removeAnswers(ctx, f.after))
	}
	return job, err
}

// Fail ends the job as FAILED with the code of the error.
func (s steps) Fail(ctx context.Context, job photojob.Job, f work.Failure) (photojob.Job, error) {
	failed := photojob.JobError{Code: photojob.CodeInternal, Message: f.Reason, RetryCount: max(attemptsOf(f.Attempts, f.Cause)-1, 0)}
	if coded, ok := errors.AsType[*codedError](f.Cause); ok {
		failed.Code = coded.code
	}
	if panicked, ok := errors.AsType[*attempt.PanicError](f.Cause); ok && s.cfg.Names.Env != "prod" {
		failed.Stack = ownFrames(string(panicked.Stack))
	}
	return s.store.Fail(ctx, job, failed)
}

const maxStack = 4 << 10 // bytes

// ownFrames returns the frames of a stack trace that belong to this
// repository.
func ownFrames(stack string) string {
	lines := strings.Split(stack, "\n")
	var own strings.Builder
	for i := 0; i+1 < len(lines); i++ {
		if strings.Contains(lines[i], "assay-project/assay") && own.Len()+len(lines[i])+len(lines[i+1])+2 <= maxStack {
			own.WriteString(lines[i] + "\n" + lines[i+1] + "\n")
			i++
		}
	}
	return own.String()
}

// Ended reports no failure for a canceled job: its owner ended it, so it needs no dead letter.
func (steps) Ended(job photojob.Job) (bool, string) {
	if job.Status != photojob.Failed || job.Error == nil || job.Error.Code == photojob.CodeCanceled {
		return job.Final(), ""
	}
	return true, job.Error.Message
}

// Creation returns the key of the upload, which contains the time of the creation.
func (steps) Creation(job photojob.Job) string { return job.S3TempKey }

func (s steps) Outcome(job photojob.Job) (event.Event, error) {
	return job.Outcome(s.final.Bucket), nil
}
