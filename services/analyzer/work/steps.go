package work

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
)

// Run is the processing of an item in steps. It ends when no step is open.
type Run interface {
	IsOpen(step string) bool
	Failure(step string) string // why the step failed, or ""
	Joined() bool
	Final() bool        // whether the item is in a final state
	Updated() time.Time // time of the last write
}

// Step identifies a step of a run in a message. Its name can also be plan.Start or plan.Finish.
type Step struct {
	Item string
	Run  int64
	Name string
}

// Steps defines how an area processes items that have several steps, which run in parallel and are joined by the one that
// ends last. R is a run. The methods must be safe for concurrent use. They return lifecycle.ErrNotFound or
// lifecycle.ErrFenceLost if the item was deleted or has another run. An area whose items have one step implements Area
// instead.
type Steps[R Run] interface {
	// Begin publishes the open steps of a run, which it determines first if they are unknown. For an item in a final state,
	// it returns a final run.
	Begin(ctx context.Context, s Step) (R, error)
	// Run reads the run of a step, with a strongly consistent read.
	Run(ctx context.Context, s Step) (R, error)
	// Do runs an open step, ends it and returns the run as written. It returns a permanent error if no further attempt can
	// succeed, and lifecycle.ErrCondition if the step has ended.
	Do(ctx context.Context, d *bus.Delivery, s Step) (R, error)
	// FailStep ends an open step as failed, with a user-facing reason, and returns the run as written. It returns
	// lifecycle.ErrCondition if the step has ended.
	FailStep(ctx context.Context, s Step, reason string, attempts int) (R, error)
	// Join moves the item of a run without open steps to a final state, and returns whether this call did. Several workers
	// may call it.
	Join(ctx context.Context, run R) (moved bool, err error)
	// Abandon deletes what the steps of a run have stored, if the item was deleted or has another run.
	Abandon(ctx context.Context, s Step) error
	// Fail moves an item that is not in a final state to Failed, with a user-facing reason, and returns whether this call
	// did.
	Fail(ctx context.Context, s Step, reason string) (moved bool, err error)
	// Outcome returns the event that announces the final state of an item. ok is false if it is not in a final state.
	Outcome(ctx context.Context, s Step) (e event.Event, ok bool, err error)
}

// Joiner processes the steps of an area.
type Joiner[R Run] struct {
	Worker *Worker
	Name   string // of the area
	Area   Steps[R]
}

// Handle runs a step and records its end. After the last step, it ends the item.
func (j Joiner[R]) Handle(ctx context.Context, d *bus.Delivery, s Step) error {
	run, err := j.attempt(ctx, d, s)
	if err == nil {
		err = j.Conclude(ctx, run, s)
	}
	switch {
	case replaced(err):
		return j.Area.Abandon(ctx, s)
	case reason.Permanent(err) || table.Rejected(err):
		return bus.Permanent(err)
	case err == nil && run.Failure(s.Name) != "":
		return hasFailed(run.Failure(s.Name))
	}
	return err
}

// attempt runs a step, unless it has ended, and returns the run after it.
func (j Joiner[R]) attempt(ctx context.Context, d *bus.Delivery, s Step) (R, error) {
	if s.Name == plan.Start {
		return step(ctx, "plan", func(ctx context.Context) (R, error) { return j.Area.Begin(ctx, s) })
	}
	if s.Name == plan.Finish || d.Attempt > 1 { // an earlier attempt may have ended the step
		if run, err := j.Area.Run(ctx, s); err != nil || !run.IsOpen(s.Name) {
			return run, err
		}
	}
	run, err := step(ctx, "step "+s.Name, func(ctx context.Context) (R, error) { return j.Area.Do(ctx, d, s) })
	if errors.Is(err, lifecycle.ErrCondition) {
		return j.Area.Run(ctx, s)
	}
	return run, err
}

// replaced reports whether an error means that the item was deleted or has another run.
func replaced(err error) bool {
	return errors.Is(err, lifecycle.ErrFenceLost) || errors.Is(err, lifecycle.ErrNotFound)
}

// Conclude ends the item of a run if no step is open, and publishes its outcome. Several workers may call it; one of them
// makes the move.
func (j Joiner[R]) Conclude(ctx context.Context, run R, s Step) (err error) {
	if !run.Joined() {
		return nil
	}
	moved := false
	if !run.Final() {
		if moved, err = step(ctx, "join", func(ctx context.Context) (bool, error) { return j.Area.Join(ctx, run) }); err != nil {
			return err
		}
	}
	_, err = j.announce(ctx, s, moved)
	return err
}

// announce publishes the outcome of an item in a final state. first states that the caller has just moved it. It returns
// the time of the outcome. The event id contains that time, so that the stream drops duplicates.
func (j Joiner[R]) announce(ctx context.Context, s Step, first bool) (time.Time, error) {
	e, ok, err := j.Area.Outcome(ctx, s)
	switch {
	case err != nil || !ok:
		return time.Time{}, err
	case first:
		return e.Time, j.Worker.Announce(ctx, j.Name, e)
	}
	return e.Time, j.Worker.bus.Republish(ctx, e)
}

// GiveUp ends a step as failed, with the reason. It fails the item if the run cannot begin or end, so that an item with a
// dead letter is in a final state. It returns the failure as the run or the item stores it.
func (j Joiner[R]) GiveUp(ctx context.Context, d bus.Delivery, s Step, cause error) (bus.Failure, error) {
	failure := Explain(d, cause)
	if s.Name == plan.Start || s.Name == plan.Finish {
		return j.GiveUpItem(ctx, s, failure)
	}
	run, err := j.Area.FailStep(ctx, s, failure, d.Attempt)
	if errors.Is(err, lifecycle.ErrCondition) { // the step has ended
		run, err = j.Area.Run(ctx, s)
		failure = run.Failure(s.Name)
	}
	if err == nil {
		err = j.Conclude(ctx, run, s)
		if table.Rejected(err) || err != nil && d.Attempt >= j.Worker.Config.Attempts {
			return j.GiveUpItem(ctx, s, Explain(d, err))
		}
	}
	if replaced(err) {
		err = nil
	}
	f := describe(failure, run.Updated())
	f.Rejected = f.Rejected || failure == "" // done by another worker
	return f, err
}

// GiveUpItem fails an item whose run cannot begin or end, and returns the failure.
func (j Joiner[R]) GiveUpItem(ctx context.Context, s Step, failure string) (bus.Failure, error) {
	var at time.Time
	moved, err := j.Area.Fail(ctx, s, failure)
	if err == nil {
		at, err = j.announce(ctx, s, moved)
	}
	if replaced(err) {
		err = nil
	}
	return describe(failure, at), err
}
