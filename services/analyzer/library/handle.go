package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/analyzer/library/remote"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/work"
)

// maxFetches is the maximum number of requests for a page whose server does not respond. It is lower than the
// number of attempts for backends, whose outages are expected to be short.
const maxFetches = 4

// ended is the end of a step.
type ended struct {
	end    plan.End
	result plan.Result
	images []library.Image
}

// joiner returns the handler of the steps that files have.
func (a *Area) joiner() work.Joiner[library.Workflow, ended] {
	return work.Joiner[library.Workflow, ended]{Worker: a.worker, Name: library.Name, Area: a}
}

func stepOf(s *event.LibraryStep) work.Step {
	return work.Step{Item: s.FileId, Run: int64(s.Run), Name: s.Step}
}

// handle processes a message.
func (a *Area) handle(ctx context.Context, d bus.Delivery) error {
	s, err := read(&d)
	if err != nil {
		return err
	}
	switch s.Step {
	case library.StepStart:
		err = a.start(ctx, s)
	case library.StepFinish:
		err = a.finish(ctx, s)
	case library.StepErase:
		err = a.erase(ctx, s)
	default:
		err = a.joiner().Handle(ctx, &d, stepOf(s))
	}
	if reason.Permanent(err) || table.Rejected(err) || errors.Is(err, remote.ErrTemporary) && d.Attempt >= maxFetches {
		return bus.Permanent(err)
	}
	return err
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
		return a.joiner().GiveUpItem(ctx, s.FileId, int64(s.Run), work.Explain(d, cause))
	}
	return a.joiner().GiveUp(ctx, d, stepOf(s), cause)
}

// Run implements work.Steps.
func (a *Area) Run(ctx context.Context, fileID string) (library.Workflow, error) {
	return a.store.Workflow(ctx, fileID)
}

// Do implements work.Steps.
func (a *Area) Do(ctx context.Context, d *bus.Delivery, _ work.Step) (ended, error) {
	s, err := read(d)
	if err != nil {
		return ended{}, err
	}
	implementation, ok := a.steps.of(s)
	if !ok {
		return ended{}, fmt.Errorf("this version does not implement step %s for files of type %s", s.Step, s.Type) // a newer worker may receive the redelivery
	}
	if s.Step == extract.StepParse {
		if err := a.startParsing(ctx, s); err != nil {
			return ended{}, err
		}
	}
	file := step.New(a.bucket, a.memory, s)
	began := time.Now()
	found, err := implementation.Run(ctx, file)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return ended{}, a.gone(ctx, s)
	}
	if err != nil {
		return ended{}, err
	}
	e := ended{images: found.Images, result: plan.Result{
		Key: found.Key, Attempts: d.Attempt, MS: time.Since(began).Milliseconds(), Engine: found.Engine,
	}}
	if omission := cmp.Or(found.Skipped, found.Partial); omission != nil {
		e.result.Reason = reason.Of(omission)
	}
	if found.Skipped != nil {
		e.end = plan.Skipped
	}
	if err := keep(ctx, file, &e.result, found.Metadata); err != nil {
		return ended{}, err
	}
	if s.Step == extract.StepParse {
		err = a.finishParsing(ctx, s, found)
	}
	return e, err
}

// gone returns the error of a step whose object was deleted or replaced, for example by an erasure.
func (a *Area) gone(ctx context.Context, s *event.LibraryStep) error {
	f, err := a.store.File(ctx, s.FileId)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Run != int64(s.Run) {
		return work.ErrGone
	}
	if err != nil {
		return err
	}
	return reason.BytesGone
}

// Failed implements work.Steps.
func (a *Area) Failed(reason string, attempts int) ended {
	return ended{end: plan.Failed, result: plan.Result{Reason: reason, Attempts: attempts}}
}

// End implements work.Steps. It also publishes the progress of the file.
func (a *Area) End(ctx context.Context, s work.Step, e ended) (library.Workflow, error) {
	w, err := a.store.FinishStep(ctx, s.Item, s.Run, s.Name, e.end, e.result, e.images)
	if err == nil && e.end != plan.Failed && !w.Joined() {
		a.publishProgress(w)
	}
	return w, err
}

// Abandon implements work.Steps. It retains results that a newer run uses.
func (a *Area) Abandon(ctx context.Context, fileID string, run int64) error {
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
