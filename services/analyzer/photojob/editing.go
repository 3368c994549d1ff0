package photojob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

const (
	// clockSkew is how much the clocks of workers may differ, and how long a worker may
	// take to notice that the time of its call is over.
	clockSkew = 35 * time.Second
	// callTries is how many calls of one step may end with an error.
	callTries = 3
)

// awaitAnswer delays a job whose last call was made by another worker and may still be
// answered: that worker, if it is alive, stores the answer by then.
func (s steps) awaitAnswer(ctx context.Context, job photojob.Job) error {
	call, called := job.Calls.Last()
	if !called || call.Outcome != photojob.CallSent || call.Until == 0 {
		return nil
	}
	wait := time.Until(time.UnixMilli(call.Until).Add(clockSkew))
	if wait <= 0 {
		return nil
	}
	if _, err := s.temp.Head(ctx, photojob.AnswerKey(job.JobID, call.N)); !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return bus.Later(errors.New("another worker's call to the provider may still be in progress"), wait)
}

// editing is one attempt at a job. Every call is recorded before it is made, and its
// answer is stored before its outcome is recorded: whatever crashes, the ledger has all
// calls that a provider may bill, and a stored answer is never asked for again.
type editing struct {
	steps
	job       photojob.Job
	provider  provider.Provider
	photo     []byte
	mediaType string
	recorded  bool // the last call of the ledger is this attempt's, and to be made
}

func (s steps) newEditing(job photojob.Job) (*editing, error) {
	p, known := s.providers[job.Route()]
	if !known {
		return nil, permanent(photojob.CodeInternal, "the provider %q is not configured", job.Route())
	}
	return &editing{steps: s, job: job, provider: p}, nil
}

// run makes the calls that the job still needs, from where its ledger says that an
// earlier attempt has stopped.
func (e *editing) run(ctx context.Context) (finished, error) {
	answered, err := e.stored(ctx)
	for err == nil {
		if answered == nil {
			if answered, err = e.next(ctx); err != nil {
				break
			}
		}
		call, _ := e.job.Calls.Last()
		call = settled(call, photojob.CallOK, answered.Usage)
		after := e.job.Answered(call)
		after.Error, after.Degraded = nil, joined(after.Degraded, answered.Degraded)
		if answered.Edit != nil {
			after.EditResult, after.Provider = answered.Edit, call.Provider
			after.EditResult.S3Key = photojob.FinalKey(e.job.JobID, call.N, answered.Edit.Format)
			return finished{e.job, after}, nil
		}
		after.AnalysisResult, answered = answered.Analysis, nil
		if err = e.record(ctx, after, e.intent(photojob.StepEdit)); err != nil {
			err = errors.Join(err, e.store.RecordCallOutcome(ctx, e.job.JobID, call))
		}
	}
	return finished{}, err
}

// stored returns the answer to the last call if an earlier attempt stored it.
func (e *editing) stored(ctx context.Context) (*answer, error) {
	call, called := e.job.Calls.Last()
	if !called || call.Outcome != photojob.CallSent {
		return nil, nil
	}
	return e.loadAnswer(ctx, e.job.JobID, call.N)
}

// next records a call unless that was done, makes it and stores its answer.
func (e *editing) next(ctx context.Context) (*answer, error) {
	if !e.recorded {
		if err := e.plan(ctx); err != nil {
			return nil, err
		}
	}
	call, _ := e.job.Calls.Last()
	e.recorded = false
	a, data, err := e.call(ctx, call)
	if err != nil {
		return nil, e.failed(ctx, call, err)
	}
	if a.Edit != nil {
		key := photojob.FinalKey(e.job.JobID, call.N, a.Edit.Format)
		_, err := e.final.Put(ctx, key, "image/"+a.Edit.Format, nil, bytes.NewReader(data))
		if err != nil && !errors.Is(err, blob.ErrExists) { // put by a try whose answer was lost
			return nil, err
		}
	}
	return a, e.saveAnswer(ctx, e.job.JobID, call.N, a)
}

// plan records the next call, if the ledger allows one.
func (e *editing) plan(ctx context.Context) error {
	after, step := e.job, photojob.StepAnalyze
	if e.job.AnalysisResult != nil {
		step = photojob.StepEdit
	}
	if last, called := e.job.Calls.Last(); called && last.Outcome == photojob.CallSent {
		outcome := photojob.CallUnknown
		if last.Until == 0 { // it ended with its worker, and cost nothing
			outcome = photojob.CallError
		}
		after = e.job.Answered(settled(last, outcome, provider.Usage{Model: last.Model, CostMicros: last.CostMicros, Estimated: last.Estimated}))
	}
	switch {
	case after.Calls.Errors(step) >= callTries && after.Error != nil:
		return permanent(after.Error.Code, "%s", after.Error.Message)
	case after.Calls.Paid(step) >= e.cfg.PaidCalls:
		return permanent(photojob.CodeAnswerLost, "the responses to %d calls of the step %s were lost", after.Calls.Paid(step), step)
	}
	return e.record(ctx, after, e.intent(step))
}

// intent returns the call of a step that is about to be made.
func (e *editing) intent(step string) photojob.Call {
	now := time.Now()
	call := photojob.Call{Step: step, Provider: e.job.Route(), At: now.UnixMilli()}
	if limit := e.provider.Limits(provider.Step(step)).Time; limit > 0 {
		call.Until = now.Add(limit).UnixMilli()
	}
	return call
}

// record writes what changed and the intent of the next call.
func (e *editing) record(ctx context.Context, after photojob.Job, intent photojob.Call) (err error) {
	var job photojob.Job
	if e.job.Status == photojob.Processing {
		job, err = e.store.Begin(ctx, e.job, intent)
	} else {
		job, err = e.store.Resume(ctx, e.job, after, intent)
	}
	if err == nil {
		e.job, e.recorded = job, true
	}
	return err
}

// call makes one call. It returns its answer, and of an edit the photo.
func (e *editing) call(ctx context.Context, call photojob.Call) (*answer, []byte, error) {
	if call.Until > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, time.UnixMilli(call.Until))
		defer cancel()
	}
	request := provider.Call{
		ID: fmt.Sprintf("%s/%d", e.job.JobID, call.N), Prompt: e.job.Prompt, Options: optionsOf(e.job.Options),
		Image: e.photo, MediaType: e.mediaType,
	}
	if call.Step == photojob.StepAnalyze {
		found, usage, err := e.provider.Analyze(ctx, request)
		return &answer{Analysis: analysisOf(found), Usage: usage}, nil, err
	}
	edited, usage, err := e.provider.Edit(ctx, request)
	result := &photojob.EditResult{Width: edited.Width, Height: edited.Height, Format: edited.Format, Size: int64(len(edited.Image))}
	return &answer{Edit: result, Degraded: edited.Degraded, Usage: usage}, edited.Image, err
}

func optionsOf(o photojob.Options) provider.Options {
	return provider.Options{Format: o.Format, Quality: o.Quality, Width: o.Width, Height: o.Height, AspectRatio: o.AspectRatio, Seed: o.Seed}
}

func analysisOf(a provider.Analysis) *photojob.AnalysisResult {
	result := &photojob.AnalysisResult{Labels: []photojob.Label{}, Description: a.Description, SafeSearch: (*photojob.SafeSearch)(a.SafeSearch)}
	for _, label := range a.Labels {
		result.Labels = append(result.Labels, photojob.Label(label))
	}
	return result
}

// failed records the outcome of a failed call and decides what follows. After
// an error that is not the provider's, the outcome is unknown: the record does not change.
func (e *editing) failed(ctx context.Context, call photojob.Call, err error) error {
	cause, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return err
	}
	outcome := photojob.CallError
	if cause.Billed != provider.NotBilled {
		outcome = photojob.CallUnknown // what was paid for is lost
	}
	call = settled(call, outcome, provider.Usage{Model: call.Model, RequestID: cause.RequestID, CostMicros: call.CostMicros, Estimated: call.Estimated})
	call.HTTP = cause.HTTP
	after := e.job.Answered(call)
	after.Error = &photojob.JobError{Code: cause.Code, Message: cause.Err.Error(), RetryCount: max(after.Calls.Errors(call.Step)-1, 0)}
	job, err := e.store.Resume(ctx, e.job, after, photojob.Call{})
	if err != nil {
		return errors.Join(err, e.store.RecordCallOutcome(ctx, e.job.JobID, call))
	}
	e.job = job
	tries := after.Calls.Errors(call.Step)
	switch {
	case cause.Class == provider.Internal:
		return cause
	case cause.Class == provider.Permanent, tries >= callTries, after.Calls.Paid(call.Step) >= e.cfg.PaidCalls:
		return permanent(cause.Code, "%w", cause.Err)
	}
	return bus.Later(cause, max(backoff(tries), cause.RetryAfter))
}

// backoff returns the pause after a number of errors, with jitter.
func backoff(errors int) time.Duration {
	pause := min(2*time.Second<<errors, time.Minute)
	return pause/2 + rand.N(pause/2)
}

// settled returns the entry of a call with its outcome.
func settled(c photojob.Call, outcome string, u provider.Usage) photojob.Call {
	c.Outcome, c.Model, c.RequestID, c.CostMicros, c.Estimated = outcome, u.Model, u.RequestID, u.CostMicros, u.Estimated
	return c
}

func joined(a, b string) string {
	switch {
	case b == "" || a == b:
		return a
	case a == "":
		return b
	}
	return a + "; " + b
}
