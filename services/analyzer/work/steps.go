package work

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Run is the processing of an item in steps. It ends when no step is open.
type Run interface {
	// Is reports whether the run has a number. Another number is that of an earlier or a later run.
	Is(number int64) bool
	IsOpen(step string) bool
	Failure(step string) string // why the step failed, or ""
	Joined() bool
	Final() bool        // whether the item is in a final state
	Updated() time.Time // time of the last write
}

// Step identifies a step of a run in a message.
type Step struct {
	Item string
	Run  int64
	Name string
}

// Steps defines how an area processes items that have several steps, which run in parallel and are joined by the one that
// ends last. R is a run, E the end of a step. The methods must be safe for concurrent use. An area whose items have one step
// implements Area instead.
type Steps[R Run, E any] interface {
	// Run reads the current run of an item, with a strongly consistent read. It returns lifecycle.ErrNotFound if there is
	// none.
	Run(ctx context.Context, item string) (R, error)
	// Do runs a step. It returns a permanent error if no further attempt can succeed, and ErrGone if the run was replaced
	// or its item was deleted.
	Do(ctx context.Context, d *bus.Delivery, s Step) (E, error)
	// Failed returns the end of a step that failed, with a user-facing reason.
	Failed(reason string, attempts int) E
	// End ends an open step and returns the run as written. It returns lifecycle.ErrCondition, and the current run, if the
	// step has ended; lifecycle.ErrFenceLost or lifecycle.ErrNotFound if the run was replaced or its item was deleted.
	End(ctx context.Context, s Step, end E) (R, error)
	// Join moves the item of a run without open steps to a final state, and returns whether this call did. Several workers
	// may call it. It returns the errors of End for a replaced run.
	Join(ctx context.Context, run R) (moved bool, err error)
	// Abandon deletes what the steps of a run have stored, if the run was replaced or its item was deleted.
	Abandon(ctx context.Context, item string, run int64) error
	// Fail moves an item that is not in a final state to Failed, with a user-facing reason, and returns whether this call
	// did. An item that was deleted, or has another run, is not an error.
	Fail(ctx context.Context, item string, run int64, reason string) (moved bool, err error)
	// Outcome returns the event that announces the final state of an item with the given run. ok is false if the item was
	// deleted, has another run or is not in a final state.
	Outcome(ctx context.Context, item string, run int64) (e event.Event, ok bool, err error)
}

// ErrGone means that a step belongs to a run that was replaced, or whose item was deleted.
var ErrGone = errors.New("the run of the step was replaced or deleted")

// Joiner processes the steps of an area.
type Joiner[R Run, E any] struct {
	Worker *Worker
	Name   string // of the area
	Area   Steps[R, E]
}

// Handle runs a step and records its end. After the last step, it ends the item.
func (j Joiner[R, E]) Handle(ctx context.Context, d *bus.Delivery, s Step) error {
	if d.Attempt > 1 { // an earlier attempt may have ended the step
		run, err := j.Area.Run(ctx, s.Item)
		switch {
		case errors.Is(err, lifecycle.ErrNotFound), err == nil && !run.Is(s.Run):
			return j.Area.Abandon(ctx, s.Item, s.Run)
		case err != nil:
			return err
		case !run.IsOpen(s.Name):
			return j.ended(ctx, run, s)
		}
	}
	end, err := j.Area.Do(ctx, d, s)
	if errors.Is(err, ErrGone) {
		return j.Area.Abandon(ctx, s.Item, s.Run)
	}
	if err != nil {
		return err
	}
	run, err := j.Area.End(ctx, s, end)
	switch {
	case replaced(err):
		return j.Area.Abandon(ctx, s.Item, s.Run)
	case errors.Is(err, lifecycle.ErrCondition):
		return j.ended(ctx, run, s)
	case err != nil:
		return err
	}
	return j.join(ctx, run, s)
}

// replaced reports whether a write failed because the run was replaced or its item was deleted.
func replaced(err error) bool {
	return errors.Is(err, lifecycle.ErrFenceLost) || errors.Is(err, lifecycle.ErrNotFound)
}

// ended concludes the delivery of a step that has ended. The message of a failed step becomes a dead letter again, because
// the worker that failed it may have crashed before it stored the dead letter.
func (j Joiner[R, E]) ended(ctx context.Context, run R, s Step) error {
	if err := j.join(ctx, run, s); err != nil {
		return err
	}
	if failure := run.Failure(s.Name); failure != "" {
		return bus.Permanent(errors.New(failure))
	}
	return nil
}

// join ends the item of a run if no step is open.
func (j Joiner[R, E]) join(ctx context.Context, run R, s Step) error {
	if !run.Joined() {
		return nil
	}
	return j.Conclude(ctx, run, s.Item, s.Run)
}

// Conclude ends the item of a run without open steps, and publishes its outcome. Several workers may call it; one of them
// makes the move.
func (j Joiner[R, E]) Conclude(ctx context.Context, run R, item string, number int64) error {
	moved := false
	if !run.Final() {
		var err error
		if moved, err = j.Area.Join(ctx, run); replaced(err) {
			return j.Area.Abandon(ctx, item, number)
		} else if err != nil {
			return err
		}
	}
	_, err := j.Announce(ctx, item, number, moved)
	return err
}

// Announce publishes the outcome of an item in a final state, if the run is its last. first states that the caller has just
// moved it. It returns the time of the outcome. The event id contains that time, so that the stream drops duplicates.
func (j Joiner[R, E]) Announce(ctx context.Context, item string, number int64, first bool) (time.Time, error) {
	e, ok, err := j.Area.Outcome(ctx, item, number)
	if err != nil || !ok {
		return time.Time{}, err
	}
	if first {
		return e.Time, j.Worker.Announce(ctx, j.Name, e)
	}
	return e.Time, j.Worker.bus.Republish(ctx, e)
}

// GiveUp ends a step as failed, with the reason. It returns the time of the write, as bus.Consumer requires.
func (j Joiner[R, E]) GiveUp(ctx context.Context, d bus.Delivery, s Step, cause error) (time.Time, error) {
	run, err := j.Area.End(ctx, s, j.Area.Failed(Explain(d, cause), d.Attempt))
	switch {
	case replaced(err):
		return time.Time{}, nil
	case err != nil && !errors.Is(err, lifecycle.ErrCondition):
		return time.Time{}, err
	}
	err = j.join(ctx, run, s)
	if table.Rejected(err) || err != nil && d.Attempt >= j.Worker.Config.Attempts {
		return j.GiveUpItem(ctx, s.Item, s.Run, Explain(d, err))
	}
	return run.Updated(), err
}

// GiveUpItem fails an item whose run cannot begin or end, and returns the time of the outcome.
func (j Joiner[R, E]) GiveUpItem(ctx context.Context, item string, number int64, reason string) (time.Time, error) {
	moved, err := j.Area.Fail(ctx, item, number, reason)
	if err != nil {
		return time.Time{}, err
	}
	return j.Announce(ctx, item, number, moved)
}
