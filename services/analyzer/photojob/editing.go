package photojob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

const (
	// noticeTime is the maximum delay until a worker notices that its call has timed out.
	noticeTime = 5 * time.Second
	// callTries is the maximum number of failed calls of one step.
	callTries = 3
)

// awaitAnswer delays a job whose last call was made by another worker that may still receive a
// response. If that worker is alive, it stores the response within the delay.
func (s steps) awaitAnswer(ctx context.Context, job photojob.Job) error {
	call, called := job.Calls.Last()
	wait := s.cfg.answerWait(call, time.Now())
	if !called || wait <= 0 {
		return nil
	}
	if _, err := s.temp.Head(ctx, photojob.AnswerKey(job.JobID, call.N)); !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return bus.Later(errors.New("another worker's call to the provider may still be in progress"), wait)
}

// answerWait returns how long the worker that made a call may still wait for its response, including
// the maximum clock difference.
func (c Config) answerWait(call photojob.Call, now time.Time) time.Duration {
	if call.Outcome != photojob.CallSent || call.Until == 0 {
		return 0
	}
	return max(0, time.UnixMilli(call.Until).Add(c.ClockSkew+noticeTime).Sub(now))
}

// editing is one attempt at a job. It records every call before making it, and stores the response
// before recording the outcome. Thus the ledger contains all calls that a provider may bill, even
// after a crash, and a call with a stored response is not repeated.
type editing struct {
	steps
	job          photojob.Job
	photo        []byte
	mediaType    string
	waitingSince time.Time // publication time of the job's event
	next         *chosen   // the last call of the ledger, if made by this attempt
}

// run makes the remaining calls of the job. The ledger shows where the previous attempt stopped.
func (e *editing) run(ctx context.Context) (finished, error) {
	answered, err := e.stored(ctx)
	for err == nil {
		if answered == nil {
			if answered, err = e.ask(ctx); err != nil {
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
			for i := range after.EditResult.Outputs {
				o := &after.EditResult.Outputs[i]
				o.S3Key = photojob.OutputKey(after.EditResult.S3Key, i+1, o.Format)
			}
			if route := e.job.Route(); call.Provider == photojob.Stub && route != photojob.Stub {
				after.Degraded = joined("edited by the local provider instead of "+route, after.Degraded)
			}
			return finished{e.job, after}, nil
		}
		after.AnalysisResult, answered = answered.Analysis, nil
		if err = e.plan(ctx, after); err != nil {
			err = errors.Join(err, e.store.RecordCallOutcome(ctx, e.job.JobID, call))
		}
	}
	return finished{}, err
}

// stored returns the response to the last call if a previous attempt stored it. It parses the stored
// response of a paid provider.
func (e *editing) stored(ctx context.Context) (*answer, error) {
	call, called := e.job.Calls.Last()
	if !called || call.Outcome != photojob.CallSent {
		return nil, nil
	}
	if call.Until == 0 {
		return e.loadAnswer(ctx, e.job.JobID, call.N)
	}
	raw, err := e.loadRaw(ctx, e.job.JobID, call.N)
	if raw == nil || err != nil {
		return nil, err
	}
	o, err := e.catalog.open(ctx, call.Provider)
	if err != nil {
		return nil, err
	}
	a, err := e.makeCall(ctx, o, call, raw)
	if err != nil {
		return nil, e.failed(ctx, call, err)
	}
	a.Usage = provider.Usage{Model: call.Model, RequestID: a.Usage.RequestID, CostMicros: call.CostMicros, Estimated: call.Estimated}
	return a, nil
}

// ask records a call unless it is already recorded, makes it and stores the response.
func (e *editing) ask(ctx context.Context) (*answer, error) {
	if e.next == nil {
		if err := e.plan(ctx, e.job); err != nil {
			return nil, err
		}
	}
	made := *e.next
	e.next = nil
	call, _ := e.job.Calls.Last()
	began := time.Now()
	a, err := e.makeCall(ctx, made.opened, call, nil)
	usage := provider.Usage{}
	if err == nil {
		usage = a.Usage
	}
	result := resultOf(made, usage, err)
	if made.permits {
		e.catalog.metrics.called(made.name, call.Step, time.Since(began), result.CostMicros, err)
	}
	e.release(ctx, made, result)
	if err != nil {
		return nil, e.failed(ctx, call, err)
	}
	if call.Until > 0 {
		return a, nil
	}
	return a, e.saveAnswer(ctx, e.job.JobID, call.N, a)
}

// plan records the next call, together with the changes in after, if the ledger and the policy of a
// provider allow one.
func (e *editing) plan(ctx context.Context, after photojob.Job) error {
	step := photojob.StepAnalyze
	if after.AnalysisResult != nil {
		step = photojob.StepEdit
	}
	if last, called := after.Calls.Last(); called && last.Outcome == photojob.CallSent {
		outcome := photojob.CallUnknown
		if last.Until == 0 { // a call of the local provider, lost with its worker, costs nothing
			outcome = photojob.CallError
		}
		after = after.Answered(settled(last, outcome, provider.Usage{Model: last.Model, CostMicros: last.CostMicros, Estimated: last.Estimated}))
	}
	switch {
	case after.Calls.Errors(step) >= callTries && after.Error != nil:
		return exhausted(after.Error.Code, reason.Recorded(after.Error.Message), after.Calls.Made(step))
	case after.Calls.Paid(step) >= e.cfg.PaidCalls:
		return exhausted(photojob.CodeAnswerLost, reason.ProviderAnswersLost.Fill(after.Calls.Paid(step), step), after.Calls.Made(step))
	}
	next, err := e.choose(ctx, step)
	if err != nil {
		return errors.Join(err, e.note(ctx, after))
	}
	if err := e.record(ctx, after, e.intent(step, next)); err != nil {
		e.drop(ctx, next)
		return err
	}
	e.next = &next
	return nil
}

// note records the changes in after, without a new call.
func (e *editing) note(ctx context.Context, after photojob.Job) error {
	if e.job.Status != photojob.Editing || reflect.DeepEqual(e.job, after) {
		return nil // no call was made, or nothing changed
	}
	job, err := e.store.Resume(ctx, e.job, after, photojob.Call{})
	if err == nil {
		e.job = job
	}
	return err
}

// intent returns the ledger entry of a call before it is made, with its maximum cost.
func (e *editing) intent(step string, next chosen) photojob.Call {
	limits := next.Limits(provider.Step(step))
	call := photojob.Call{Step: step, Provider: next.name, At: time.Now().UnixMilli(), Model: limits.Model, CostMicros: limits.CostMicros, Estimated: next.permits}
	if limits.Time > 0 {
		call.Until = next.call.Until.UnixMilli()
	}
	return call
}

// record writes the changes and the ledger entry of the next call.
func (e *editing) record(ctx context.Context, after photojob.Job, intent photojob.Call) (err error) {
	var job photojob.Job
	if e.job.Status == photojob.Processing {
		job, err = e.store.Begin(ctx, e.job, intent)
	} else {
		job, err = e.store.Resume(ctx, e.job, after, intent)
	}
	if err == nil {
		e.job = job
	}
	return err
}

// makeCall makes a call, or parses raw, the stored response to it. It stores the photo of an edit.
func (e *editing) makeCall(ctx context.Context, p opened, call photojob.Call, raw []byte) (_ *answer, err error) {
	ctx, span := obs.Start(ctx, "call "+photojob.ShownProvider(call.Provider), trace.WithAttributes(attribute.String("assay.step", call.Step), attribute.String("gen_ai.request.model", call.Model)))
	defer func() { obs.End(span, err) }()
	request := provider.Call{
		ID: fmt.Sprintf("%s/%d", e.job.JobID, call.N), Prompt: e.job.Prompt, Options: optionsOf(e.job.Options),
		Image: e.photo, MediaType: e.mediaType, Answer: raw,
	}
	working := ctx // without the deadline of the call
	var remarks []string
	if call.Until > 0 {
		var err error
		if request.Image, request.MediaType, remarks, err = remote.Prepared(ctx, e.decoder, e.photo, p.Limits(provider.Step(call.Step)), request.Options); err != nil {
			return nil, unprepared(err)
		}
		request.Keep = func(ctx context.Context, from io.Reader) ([]byte, error) { return e.keepRaw(ctx, call.N, from) }
		if raw == nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, time.UnixMilli(call.Until))
			defer cancel()
		}
	}
	if call.Step == photojob.StepAnalyze {
		found, usage, err := p.Analyze(ctx, request)
		if err != nil {
			return nil, err
		}
		return &answer{Analysis: analysisOf(found), Usage: usage}, nil
	}
	logos, err := e.logos(ctx, e.job)
	if err != nil {
		return nil, err
	}
	request.Options.Logos = logos
	edited, usage, err := p.Edit(ctx, request)
	if err != nil {
		return nil, err
	}
	key := photojob.FinalKey(e.job.JobID, call.N, edited.Format)
	if err := e.putFinal(working, key, edited.Format, edited.Image); err != nil {
		return nil, err
	}
	if err := e.storePreviews(working, key, edited.Image); err != nil {
		return nil, err
	}
	result := &photojob.EditResult{Width: edited.Width, Height: edited.Height, Format: edited.Format, Size: int64(len(edited.Image))}
	for i, o := range edited.Outputs {
		if err := e.putFinal(working, photojob.OutputKey(key, i+1, o.Format), o.Format, o.Image); err != nil {
			return nil, err
		}
		result.Outputs = append(result.Outputs, photojob.OutputResult{Width: o.Width, Height: o.Height, Format: o.Format, Size: int64(len(o.Image))})
	}
	return &answer{Edit: result, Degraded: joined(strings.Join(remarks, ". "), edited.Degraded), Usage: usage}, nil
}

// putFinal stores a result, unless a previous attempt stored it.
func (e *editing) putFinal(ctx context.Context, key, format string, image []byte) error {
	_, err := e.final.Put(ctx, key, "image/"+format, nil, bytes.NewReader(image))
	if errors.Is(err, blob.ErrExists) {
		return nil
	}
	return err
}

// unprepared returns the error for a photo that cannot be prepared for a provider.
func unprepared(err error) error {
	if code := provider.PictureCode(err); code != "" {
		return &provider.Error{Class: provider.Permanent, Code: code, Billed: provider.NotBilled, Err: err}
	}
	return err
}

func optionsOf(o photojob.Options) provider.Options {
	return provider.Options{
		Format: o.Format, Quality: o.Quality, Width: o.Width, Height: o.Height, AspectRatio: o.AspectRatio, Seed: o.Seed,
		Tolerant: o.Tolerant, Colors: o.Colors, Operations: o.Operations, Frames: o.Frames, Keep: o.Keep, Outputs: o.Outputs,
	}
}

func analysisOf(a provider.Analysis) *photojob.AnalysisResult {
	result := &photojob.AnalysisResult{Labels: []photojob.Label{}, Description: a.Description, SafeSearch: (*photojob.SafeSearch)(a.SafeSearch)}
	for _, label := range a.Labels {
		result.Labels = append(result.Labels, photojob.Label(label))
	}
	return result
}

// failed records the outcome of a failed call and decides how to continue. After an error that is
// not from the provider, the outcome is unknown and the record is not changed.
func (e *editing) failed(ctx context.Context, call photojob.Call, err error) error {
	cause, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return err
	}
	outcome, usage := photojob.CallError, provider.Usage{Model: call.Model, RequestID: cause.RequestID, CostMicros: call.CostMicros, Estimated: call.Estimated}
	refused := cause.Class == provider.Defer || cause.Class == provider.Suspend
	switch {
	case cause.Billed == provider.MaybeBilled:
		outcome = photojob.CallUnknown
	case cause.Billed == provider.NotBilled:
		usage.CostMicros, usage.Estimated = 0, false
		if refused {
			outcome = photojob.CallRefused
		}
	}
	call = settled(call, outcome, usage)
	call.HTTP = cause.HTTP
	after := e.job.Answered(call)
	made, tries := after.Calls.Made(call.Step), after.Calls.Errors(call.Step)
	after.Error = &photojob.JobError{Code: cause.Code, Message: reason.Of(cause.Err), RetryCount: max(made-1, 0)}
	held := refused && outcome == photojob.CallRefused
	final := !held && cause.Class != provider.Internal &&
		(cause.Class == provider.Permanent || tries >= callTries || after.Calls.Paid(call.Step) >= e.cfg.PaidCalls)
	if final && call.Step == photojob.StepEdit {
		after.Provider = call.Provider // the error is from this one
	}
	job, err := e.store.Resume(ctx, e.job, after, photojob.Call{})
	if err != nil {
		return errors.Join(err, e.store.RecordCallOutcome(ctx, e.job.JobID, call))
	}
	e.job = job
	switch {
	case held:
		return bus.Later(cause, refusedWait) // the policy decides when to call again, and which provider to call
	case cause.Class == provider.Internal:
		return cause
	case final:
		return exhausted(cause.Code, cause.Err, made)
	}
	return bus.Later(cause, max(backoff(tries), cause.RetryAfter))
}

// refusedWait is the delay after which a held job checks again whether a provider may be called.
const refusedWait = time.Second

// backoff returns the delay after a number of errors, with jitter.
func backoff(errors int) time.Duration {
	pause := min(2*time.Second<<errors, time.Minute)
	return pause/2 + rand.N(pause/2)
}

// settled returns the ledger entry of a completed call.
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
