package photojob

import (
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
)

// TestPermitOfLostJob checks that a worker that has lost its job returns only its own permit: the cost
// of the call of the worker that has taken over the job remains counted.
func TestPermitOfLostJob(t *testing.T) {
	lost := claimed(t, 1)
	lost.catalog = newTestCatalog(t, map[string]string{"ASSAY_GEMINI_KEY": "a key"})
	set(t, lost.catalog, photojob.Gemini, func(s *policy.Settings) { s.Enabled = true })
	job, err := lost.store.TakeOver(t.Context(), lost.job)
	if err != nil {
		t.Fatal(err)
	}
	current := &editing{steps: lost.steps, job: job}
	if err := current.plan(t.Context(), current.job); err != nil {
		t.Fatal(err)
	}
	err = lost.plan(t.Context(), lost.job)
	if _, moved := errors.AsType[*lifecycle.MovedError](err); !moved {
		t.Errorf("got error %v from the worker that has lost the job, want a MovedError", err)
	}
	state, err := lost.catalog.policies.State(t.Context(), photojob.Gemini)
	if err != nil {
		t.Fatal(err)
	}
	want := current.next.cost(photojob.StepAnalyze)
	if len(state.Days) != 1 || state.Days[0].CostMicros != want || len(state.Running) != 1 {
		t.Errorf("got state %+v, want one call in progress that costs %d", state, want)
	}
}
