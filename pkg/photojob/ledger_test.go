package photojob

import (
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func ledgerOf(calls ...Call) Ledger {
	l := Ledger{}
	for i, c := range calls {
		c.N = i + 1
		l[strconv.Itoa(c.N)] = c
	}
	return l
}

// A call is assumed to be billed unless its provider states otherwise, so the cost is an upper
// bound.
func TestPaidCalls(t *testing.T) {
	call := func(step, outcome string, cost int64) Call {
		return Call{Step: step, Outcome: outcome, CostMicros: cost}
	}
	for name, c := range map[string]struct {
		ledger             Ledger
		analyze, edit, bad int
	}{
		"none":                 {nil, 0, 0, 0},
		"each outcome":         {ledgerOf(call("edit", CallSent, 1), call("edit", CallOK, 1), call("edit", CallUnknown, 1), call("edit", CallError, 0)), 0, 3, 1},
		"a billed error":       {ledgerOf(call("edit", CallError, 5)), 0, 1, 1},
		"each step separately": {ledgerOf(call("analyze", CallOK, 0), call("edit", CallUnknown, 0)), 1, 1, 0},
		"since the last retry": {ledgerOf(call("analyze", CallOK, 0), call("edit", CallError, 0), call("retry", "", 0), call("edit", CallOK, 0)), 0, 1, 0},
	} {
		if a, e, bad := c.ledger.Paid(StepAnalyze), c.ledger.Paid(StepEdit), c.ledger.Errors(StepEdit); a != c.analyze || e != c.edit || bad != c.bad {
			t.Errorf("%s: got %d and %d paid calls, %d errors, want %d, %d, %d", name, a, e, bad, c.analyze, c.edit, c.bad)
		}
	}
}

func TestFoldingPreservesTheCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Ledger
		for range rapid.IntRange(0, 60).Draw(t, "calls") {
			l = l.with(Call{
				N: l.next(), Step: rapid.SampledFrom([]string{StepAnalyze, StepEdit, stepRetry}).Draw(t, "step"),
				Outcome: rapid.SampledFrom([]string{CallOK, CallError, CallUnknown}).Draw(t, "outcome"), CostMicros: int64(rapid.IntRange(0, 100).Draw(t, "cost")),
			})
		}
		l = l.with(Call{N: l.next(), Step: stepRetry})
		folded := l.folded()
		if folded.CostMicros() != l.CostMicros() || len(folded) > keptEntries+1 || folded.next() != l.next() {
			t.Fatalf("got %d entries with cost %d, want at most %d with cost %d", len(folded), folded.CostMicros(), keptEntries+1, l.CostMicros())
		}
	})
}

// The outcome of a call is recorded once, even if it arrives late, in a job in any state.
func TestOutcomeOfEndedJob(t *testing.T) {
	r := open(t)
	job := r.in(Editing)
	canceled, err := r.Cancel(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	last, called := job.Calls.Last()
	if !called || last.Outcome != CallSent || last.N != 1 {
		t.Fatalf("got last call %+v, want call 1 with outcome %s", last, CallSent)
	}
	last.Outcome, last.CostMicros, last.HTTP = CallOK, 42, 200
	if err := r.RecordCallOutcome(t.Context(), job.JobID, last); err != nil {
		t.Fatal(err)
	}
	late := last
	late.CostMicros = 7
	for _, id := range []string{job.JobID, "nobody"} {
		if err := r.RecordCallOutcome(t.Context(), id, late); err != nil {
			t.Error(err)
		}
	}
	canceled.Calls = Ledger{"1": last}
	if found := r.get(job.JobID); !reflect.DeepEqual(found, canceled) {
		t.Errorf("got stored job %+v, want %+v", found, canceled)
	}
}

// An outcome that is recorded between the read and the retry is not overwritten, even
// if the retry folds the ledger.
func TestRetryKeepsConcurrentOutcome(t *testing.T) {
	r := open(t)
	job := r.in(Editing)
	for range keptEntries + 5 {
		last, _ := job.Calls.Last()
		last.Outcome, last.CostMicros = CallOK, 3
		var err error
		if job, err = r.Resume(t.Context(), job, job.Answered(last), Call{Step: StepEdit, Provider: Stub, CostMicros: 10}); err != nil {
			t.Fatal(err)
		}
	}
	job, err := r.Cancel(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	last, _ := job.Calls.Last()
	last.Outcome, last.CostMicros = CallOK, 4
	if err := r.RecordCallOutcome(t.Context(), job.JobID, last); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Retry(t.Context(), job, "", job.Options); err == nil {
		t.Fatal("a retry with an outdated ledger: got no error, want one")
	}
	again, err := r.Retry(t.Context(), r.get(job.JobID), "", job.Options)
	if err != nil {
		t.Fatal(err)
	}
	found := r.get(job.JobID)
	if want := int64(3*(keptEntries+5) + 4); !reflect.DeepEqual(found, again) || found.Calls.CostMicros() != want || len(found.Calls) != keptEntries+1 {
		t.Errorf("got %d entries with cost %d, want %d with cost %d: %+v", len(found.Calls), found.Calls.CostMicros(), keptEntries+1, want, found.Calls.Calls())
	}
}
