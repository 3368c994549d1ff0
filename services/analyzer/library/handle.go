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
	"github.com/assay-project/assay/services/analyzer/library/remote"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/work"
)

// maxFetches is the maximum number of requests for a page whose server does not respond. It is lower than the
// number of attempts for backends, whose outages are expected to be short.
const maxFetches = 4

// joiner returns the handler of the steps that files have.
func (a *Area) joiner() work.Joiner[library.Workflow] {
	return work.Joiner[library.Workflow]{Worker: a.worker, Name: library.Name, Area: a}
}

func stepOf(s *event.LibraryStep) work.Step {
	return work.Step{Item: s.FileId, Run: int64(s.Run), Name: s.Step}
}

// runOf returns what identifies the workflow of a step.
func runOf(s work.Step) library.Workflow {
	return library.Workflow{CorrelationID: s.Item, FileID: s.Item, Run: s.Run}
}

// handle processes a message.
func (a *Area) handle(ctx context.Context, d bus.Delivery) error {
	s, err := read(&d)
	if err != nil {
		return err
	}
	if s.Step == library.StepErase {
		return a.erase(ctx, s)
	}
	err = a.joiner().Handle(ctx, &d, stepOf(s))
	if errors.Is(err, remote.ErrTemporary) && d.Attempt >= maxFetches {
		return bus.Permanent(err)
	}
	return err
}

// giveUp marks a step as failed, with the reason. An erase step is not marked, because sweeps retry it. Of a malformed
// message, there is only the dead letter.
func (a *Area) giveUp(ctx context.Context, d bus.Delivery, cause error) (bus.Failure, error) {
	s, err := read(&d)
	if err != nil || s.Step == library.StepErase {
		return bus.Failure{Reason: work.Explain(d, cause)}, nil
	}
	return a.joiner().GiveUp(ctx, d, stepOf(s), cause)
}

// Run implements work.Steps.
func (a *Area) Run(ctx context.Context, s work.Step) (library.Workflow, error) {
	return a.store.WorkflowOf(ctx, library.File{ID: s.Item, Run: s.Run})
}

// file reads the file of a run. It returns lifecycle.ErrNotFound or lifecycle.ErrFenceLost if the file was deleted or has
// another run.
func (a *Area) file(ctx context.Context, s work.Step) (library.File, error) {
	f, err := a.store.File(ctx, s.Item)
	if err == nil && f.Run != s.Run {
		err = lifecycle.ErrFenceLost
	}
	return f, err
}

// Do implements work.Steps. It also publishes the progress of the file.
func (a *Area) Do(ctx context.Context, d *bus.Delivery, s work.Step) (w library.Workflow, err error) {
	e := d.Event.(*event.LibraryStep)
	implementation, ok := a.steps.of(e)
	if !ok {
		return w, fmt.Errorf("%w: step %s for files of type %s", event.ErrNewer, s.Name, e.Type)
	}
	if s.Name == extract.StepParse {
		if err := unlessMoved(a.store.StartParsing(ctx, runOf(s))); err != nil {
			return w, err
		}
	}
	file, began := step.New(a.bucket, a.memory, e), time.Now()
	found, err := implementation.Run(ctx, file)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		_, replaced := a.file(ctx, s) // for example by an erasure
		err = cmp.Or[error](replaced, reason.BytesGone)
	}
	if err != nil {
		return w, err
	}
	end, result := plan.Done, plan.Result{Key: found.Key, Attempts: d.Attempt, MS: time.Since(began).Milliseconds(), Engine: found.Engine}
	if omission := cmp.Or(found.Skipped, found.Partial); omission != nil {
		result.Reason = reason.Of(omission)
	}
	if found.Skipped != nil {
		end = plan.Skipped
	}
	if err = keep(ctx, file, &result, found.Metadata); err == nil {
		err = a.openMore(ctx, s, file.Type, found)
	}
	if err != nil {
		return w, err
	}
	w, err = a.store.FinishStep(ctx, s.Item, s.Run, s.Name, end, result, found.Images)
	if err == nil && !w.Joined() {
		a.publishProgress(w)
	}
	return w, err
}

// FailStep implements work.Steps.
func (a *Area) FailStep(ctx context.Context, s work.Step, reason string, attempts int) (library.Workflow, error) {
	return a.store.FinishStep(ctx, s.Item, s.Run, s.Name, plan.Failed, plan.Result{Reason: reason, Attempts: attempts}, nil)
}

// Abandon implements work.Steps. It retains pictures that the file still has.
func (a *Area) Abandon(ctx context.Context, s work.Step) error {
	f, err := a.store.File(ctx, s.Item)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Erasing():
		f.Images = nil
	case err != nil || f.Run == s.Run:
		return err
	}
	return a.deleteAll(ctx, library.ResultKey(s.Item, s.Run, ""), f.Images...)
}
