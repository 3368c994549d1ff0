package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// run is a run whose item is not in a final state.
type run struct{ plan.Steps }

func (run) Final() bool        { return false }
func (run) Updated() time.Time { return time.Time{} }

// stepped is an area with a run, whose methods return the errors of the table err, and record their calls.
type stepped struct {
	run   run
	err   map[string]error
	calls []string
}

func (a *stepped) call(name string) error {
	a.calls = append(a.calls, name)
	return a.err[name]
}

func (a *stepped) Begin(context.Context, Step) (run, error)             { return a.run, a.call("begin") }
func (a *stepped) Run(context.Context, Step) (run, error)               { return a.run, a.call("run") }
func (a *stepped) Do(context.Context, *bus.Delivery, Step) (run, error) { return a.run, a.call("do") }
func (a *stepped) FailStep(context.Context, Step, string, int) (run, error) {
	return a.run, a.call("failStep")
}
func (a *stepped) Abandon(context.Context, Step) error { return a.call("abandon") }

func (a *stepped) Join(context.Context, run) (bool, error) {
	err := a.call("join")
	return err == nil, err
}

func (a *stepped) Fail(context.Context, Step, string) (bool, error) {
	err := a.call("fail")
	return err == nil, err
}

func (a *stepped) Outcome(context.Context, Step) (event.Event, bool, error) {
	return event.Event{}, false, a.call("outcome")
}

// TestSteps checks what the joiner calls for each kind of message, and how a delivery ends when a call fails.
func TestSteps(t *testing.T) {
	const failedStep = "the item has failed: the engine failed"
	open, joined := run{plan.Open([]string{"a", "b"})}, run{plan.Open(nil)}
	failed := run{plan.Steps{StepsOpen: []string{"b"}, StepsFailed: []string{"a"}, StepResults: map[string]plan.Result{"a": {Reason: "the engine failed"}}}}
	other := errors.New("no connection")
	for _, test := range []struct {
		name    string
		step    string
		attempt int
		run     run
		err     map[string]error
		giveUp  bool
		calls   string
		want    string // the error
	}{
		{name: "a step", step: "a", run: run{plan.Open([]string{"b"})}, calls: "do"},
		{name: "the last step", step: "a", run: joined, calls: "do join outcome"},
		{name: "a redelivered step that is open", step: "a", attempt: 2, run: open, calls: "run do"},
		{name: "a redelivered step that has ended", step: "a", attempt: 2, run: joined, calls: "run join outcome"},
		{name: "a redelivered step that has failed", step: "a", attempt: 2, run: failed, calls: "run", want: failedStep},
		{name: "a step ended by another worker", step: "a", run: joined, err: map[string]error{"do": lifecycle.ErrCondition}, calls: "do run join outcome"},
		{name: "a step of a replaced run", step: "a", run: open, err: map[string]error{"do": fmt.Errorf("end: %w", lifecycle.ErrFenceLost)}, calls: "do abandon"},
		{name: "a step of a deleted item", step: "a", attempt: 2, run: open, err: map[string]error{"run": lifecycle.ErrNotFound}, calls: "run abandon"},
		{name: "a run that is replaced during its join", step: "a", run: joined, err: map[string]error{"join": lifecycle.ErrFenceLost}, calls: "do join abandon"},
		{name: "a step without a backend", step: "a", run: open, err: map[string]error{"do": other}, calls: "do", want: other.Error()},
		{name: "start", step: plan.Start, attempt: 2, run: open, calls: "begin"},
		{name: "start of a run that exists", step: plan.Start, run: open, err: map[string]error{"begin": lifecycle.ErrCondition}, calls: "begin", want: lifecycle.ErrCondition.Error()},
		{name: "finish", step: plan.Finish, run: joined, calls: "run join outcome"},
		{name: "finish of a run with open steps", step: plan.Finish, run: open, calls: "run"},
		{name: "a failed step", step: "a", run: failed, giveUp: true, calls: "failStep"},
		{name: "the last step, failed", step: "a", run: joined, giveUp: true, calls: "failStep join outcome"},
		{name: "a failed step that has ended", step: "a", run: joined, err: map[string]error{"failStep": lifecycle.ErrCondition}, giveUp: true, calls: "failStep run join outcome"},
		{name: "a failed step of a replaced run", step: "a", err: map[string]error{"failStep": lifecycle.ErrFenceLost}, giveUp: true, calls: "failStep"},
		{name: "a result that the table rejects", step: "a", run: joined, err: map[string]error{"join": tabletest.Rejected()}, giveUp: true, calls: "failStep join fail outcome"},
		{name: "a run that cannot end", step: "a", attempt: 3, run: joined, err: map[string]error{"join": other}, giveUp: true, calls: "failStep join fail outcome"},
		{name: "a run that cannot begin", step: plan.Start, giveUp: true, calls: "fail outcome"},
		{name: "a deleted item that cannot begin", step: plan.Start, err: map[string]error{"fail": lifecycle.ErrNotFound}, giveUp: true, calls: "fail"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := &stepped{run: test.run, err: test.err}
			j := Joiner[run]{Worker: &Worker{Config: Config{Attempts: 3}}, Area: a}
			d, s := bus.Delivery{Attempt: max(1, test.attempt)}, Step{Item: "i", Run: 1, Name: test.step}
			var err error
			if test.giveUp {
				_, err = j.GiveUp(t.Context(), d, s, other)
			} else {
				err = j.Handle(t.Context(), &d, s)
			}
			if calls := strings.Join(a.calls, " "); calls != test.calls {
				t.Errorf("got the calls %q, want %q", calls, test.calls)
			}
			switch {
			case test.want == "" && err != nil, test.want != "" && (err == nil || err.Error() != test.want):
				t.Errorf("got error %v, want %q", err, test.want)
			case test.want == failedStep && !bus.IsPermanent(err):
				t.Errorf("the error %v is not permanent, want a dead letter", err)
			}
		})
	}
}

// TestFailedStepIsDescribed checks that the failure of a step is described as its run stores it: a fault as a dead letter with
// a class, a sentence about the content as an outcome without one, also if another worker has ended the step.
func TestFailedStepIsDescribed(t *testing.T) {
	ended := func(reason string) run {
		return run{plan.Steps{StepsOpen: []string{"b"}, StepsFailed: []string{"a"}, StepResults: map[string]plan.Result{"a": {Reason: reason}}}}
	}
	crashed := bus.Permanent(&attempt.LostError{Attempts: 3})
	for name, test := range map[string]struct {
		cause error
		run   run
		err   map[string]error
		want  bus.Failure
	}{
		"fault":                    {crashed, ended(""), nil, bus.Failure{Reason: "gave up after 3 attempts; in the last one, the worker died or lost its connection", Class: event.DeadCrashed}},
		"backend":                  {errors.New("dial tcp"), ended(""), nil, bus.Failure{Reason: "the analysis did not succeed in 1 attempt"}},
		"content":                  {reason.FileEmpty, ended(""), nil, bus.Failure{Reason: "the file is empty", Rejected: true}},
		"result":                   {tabletest.Rejected(), ended(""), nil, bus.Failure{Reason: reason.ResultRejected.Error(), Class: event.DeadRejected}},
		"content, ended before":    {crashed, ended("the file is empty"), map[string]error{"failStep": lifecycle.ErrCondition}, bus.Failure{Reason: "the file is empty", Rejected: true}},
		"done before":              {crashed, run{plan.Open([]string{"b"})}, map[string]error{"failStep": lifecycle.ErrCondition}, bus.Failure{Rejected: true}},
		"content, in a redelivery": {hasFailed("the file is empty"), ended(""), nil, bus.Failure{Reason: "the file is empty", Rejected: true}},
	} {
		j := Joiner[run]{Worker: &Worker{Config: Config{Attempts: 3}}, Area: &stepped{run: test.run, err: test.err}}
		got, err := j.GiveUp(t.Context(), bus.Delivery{Attempt: 1}, Step{Item: "i", Run: 1, Name: "a"}, test.cause)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, error %v, want %+v", name, got, err, test.want)
		}
	}
}
