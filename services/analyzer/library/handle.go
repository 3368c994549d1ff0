package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/analyzer/library/remote"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/work"
)

// maxFetches is the maximum number of requests for a page whose server does not respond. It is lower than the
// number of attempts for backends, whose outages are expected to be short.
const maxFetches = 4

// handle processes a message.
func (a *Area) handle(ctx context.Context, d bus.Delivery) error {
	err := a.act(ctx, d)
	if reason.Permanent(err) || table.Rejected(err) || errors.Is(err, remote.ErrAway) && d.Attempt >= maxFetches {
		return bus.Permanent(err)
	}
	return err
}

func (a *Area) act(ctx context.Context, d bus.Delivery) error {
	s, err := read(&d)
	if err != nil {
		return err
	}
	switch s.Step {
	case library.StepStart:
		return a.start(ctx, s)
	case library.StepFinish:
		return a.finish(ctx, s)
	case library.StepErase:
		return a.erase(ctx, s)
	}
	if d.Attempt > 1 { // an earlier attempt may have completed the step
		if ended, err := a.ended(ctx, s); ended || err != nil {
			return err
		}
	}
	return a.do(ctx, s, d.Attempt)
}

// ended concludes the delivery of a step that is no longer open. It reports whether it did.
func (a *Area) ended(ctx context.Context, s *event.LibraryStep) (bool, error) {
	w, err := a.store.Workflow(ctx, s.FileId)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && w.Run != int64(s.Run) {
		return true, a.compensate(ctx, s.FileId, int64(s.Run))
	}
	if err != nil {
		return false, err
	}
	if slices.Contains(w.StepsOpen, s.Step) {
		return false, nil
	}
	return true, a.concludeStep(ctx, w, s)
}

// concludeStep completes the workflow if this was the last step. The message of a failed step becomes a dead
// letter again, because the previous worker may have crashed before it stored the dead letter.
func (a *Area) concludeStep(ctx context.Context, w library.Workflow, s *event.LibraryStep) error {
	if w.Joined() {
		if err := a.conclude(ctx, w); err != nil {
			return err
		}
	}
	if slices.Contains(w.StepsFailed, s.Step) {
		return bus.Permanent(errors.New(w.StepResults[s.Step].Reason))
	}
	return nil
}

// do runs a step and records its outcome.
func (a *Area) do(ctx context.Context, s *event.LibraryStep, attempt int) error {
	implementation, ok := a.steps.of(s)
	if !ok {
		return fmt.Errorf("this version does not implement step %s for files of type %s", s.Step, s.Type) // a newer worker may receive the redelivery
	}
	if s.Step == extract.StepParse {
		if err := a.startParsing(ctx, s); err != nil {
			return err
		}
	}
	file := step.New(a.bucket, a.memory, s)
	began := time.Now()
	found, err := implementation.Run(ctx, file)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return a.gone(ctx, s)
	}
	if err != nil {
		return err
	}
	result := library.StepResult{Key: found.Key, Reason: reasonOf(cmp.Or(found.Skipped, found.Partial)), Attempts: attempt, MS: time.Since(began).Milliseconds(), Engine: found.Engine}
	if err := keep(ctx, file, &result, found.Metadata); err != nil {
		return err
	}
	if s.Step == extract.StepParse {
		if err := a.finishParsing(ctx, s, found); err != nil {
			return err
		}
	}
	end := library.StepDone
	if found.Skipped != nil {
		end = library.StepSkipped
	}
	w, err := a.store.FinishStep(ctx, s.FileId, int64(s.Run), s.Step, end, result, found.Images)
	switch {
	case errors.Is(err, lifecycle.ErrFenceLost), errors.Is(err, lifecycle.ErrNotFound):
		return a.compensate(ctx, s.FileId, int64(s.Run))
	case errors.Is(err, lifecycle.ErrCondition): // already completed
		return a.concludeStep(ctx, w, s)
	case err != nil:
		return err
	case w.Joined():
		return a.conclude(ctx, w)
	}
	a.publishProgress(w)
	return nil
}

// reasonOf returns the sentence for an omission; "" if there is none.
func reasonOf(omission error) string {
	if omission == nil {
		return ""
	}
	return reason.Of(omission)
}

// gone handles a step whose object was deleted or replaced, for example by an erasure.
func (a *Area) gone(ctx context.Context, s *event.LibraryStep) error {
	f, err := a.store.File(ctx, s.FileId)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Run != int64(s.Run) {
		return a.compensate(ctx, s.FileId, int64(s.Run))
	}
	if err != nil {
		return err
	}
	return reason.BytesGone
}

// compensate deletes the results of a run that has ended because the file is being erased, does not exist, or
// has a newer run. It retains results that the newer run uses.
func (a *Area) compensate(ctx context.Context, fileID string, run int64) error {
	used := map[string]bool{}
	f, err := a.store.File(ctx, fileID)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return err
	}
	if err == nil && f.Run == run {
		return nil
	}
	w, err := a.store.Workflow(ctx, fileID)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return err
	}
	if w.WorkflowType == library.FileWorkflow {
		for _, image := range f.Images {
			used[image.Key] = true
		}
		for _, result := range w.StepResults {
			used[result.Key], used[result.MetadataKey] = true, true
		}
	}
	return a.deleteAll(ctx, library.ResultKey(fileID, run, ""), used)
}

// giveUp marks a step as failed, with the reason. It fails the file if the run cannot start or cannot end, so that a
// file with a dead letter is in a final state. An erase step is not marked, because sweeps retry it.
func (a *Area) giveUp(ctx context.Context, d bus.Delivery, cause error) (time.Time, error) {
	s, err := read(&d)
	if err != nil {
		return time.Time{}, nil // the dead letter contains the malformed message
	}
	switch s.Step {
	case library.StepErase:
		return time.Time{}, nil
	case library.StepStart, library.StepFinish:
		return a.failFile(ctx, s.FileId, int64(s.Run), work.Explain(d, cause))
	}
	w, err := a.store.FinishStep(ctx, s.FileId, int64(s.Run), s.Step, library.StepFailed,
		library.StepResult{Reason: work.Explain(d, cause), Attempts: d.Attempt}, nil)
	switch {
	case errors.Is(err, lifecycle.ErrFenceLost), errors.Is(err, lifecycle.ErrNotFound):
		return time.Time{}, nil
	case err != nil && !errors.Is(err, lifecycle.ErrCondition):
		return time.Time{}, err
	}
	if !w.Joined() {
		return w.Updated(), nil
	}
	err = a.conclude(ctx, w)
	if table.Rejected(err) || err != nil && d.Attempt >= a.worker.Config.Attempts {
		return a.failFile(ctx, s.FileId, int64(s.Run), work.Explain(d, err))
	}
	return w.Updated(), err
}
