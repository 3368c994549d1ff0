package policy_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// stores opens n stores on the same table.
func stores(t *testing.T, n int) []*policy.Store {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	all := make([]*policy.Store, n)
	for i := range all {
		all[i] = policy.NewStore(platform.NewStore(db, cfg))
	}
	return all
}

func enabled(t *testing.T, s *policy.Store, change func(*policy.Settings)) policy.Provider {
	t.Helper()
	settings := policy.Defaults(photojob.Gemini)
	settings.Enabled = true
	change(&settings)
	if wrong := settings.Check(photojob.Gemini); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	p, err := s.Put(t.Context(), photojob.Gemini, settings, platform.Match{Any: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const key = "digest"

func call(id string, cost int64) policy.Call {
	return policy.Call{ID: id, CostMicros: cost, Until: time.Now().Add(time.Minute), Key: key}
}

func heldBy(err error) string {
	if held, ok := errors.AsType[*policy.Held](err); ok {
		return held.Code
	}
	return fmt.Sprint(err)
}

// TestBudgetOfManyWorkers checks that 4 concurrent workers make exactly as many calls as the budget
// permits, and likewise for the other limits.
func TestBudgetOfManyWorkers(t *testing.T) {
	const workers, each = 4, 10
	for name, test := range map[string]struct {
		change func(*policy.Settings)
		want   int
		held   string
	}{
		"daily budget":     {func(s *policy.Settings) { s.DailyBudget, s.Concurrent = 17*100+99, 1000 }, 17, policy.HeldDailyBudget},
		"calls per day":    {func(s *policy.Settings) { s.PerDay, s.Concurrent = 13, 1000 }, 13, policy.HeldPerDay},
		"concurrent calls": {func(s *policy.Settings) { s.Concurrent = 5 }, 5, policy.HeldConcurrent},
	} {
		t.Run(name, func(t *testing.T) {
			all := stores(t, workers)
			p := enabled(t, all[0], test.change)
			var mu sync.Mutex
			taken, held := 0, map[string]int{}
			var group sync.WaitGroup
			for i, s := range all {
				group.Go(func() {
					for n := range each {
						err := s.Take(t.Context(), p, call(fmt.Sprintf("%d/%d", i, n), 100))
						mu.Lock()
						if err == nil {
							taken++
						} else {
							held[heldBy(err)]++
						}
						mu.Unlock()
					}
				})
			}
			group.Wait()
			if taken != test.want || held[test.held] != workers*each-test.want {
				t.Errorf("got %d calls, holds %v, want %d calls, and all others held by %s", taken, held, test.want, test.held)
			}
		})
	}
}

// TestCosts checks that a call counts with its maximum cost until its actual cost is known, and that a
// lost call remains counted.
func TestCosts(t *testing.T) {
	s := stores(t, 1)[0]
	p := enabled(t, s, func(s *policy.Settings) { s.DailyBudget = 250 })
	for _, id := range []string{"a", "b"} {
		if err := s.Take(t.Context(), p, call(id, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Take(t.Context(), p, call("a", 100)); err != nil {
		t.Errorf("a second Take of the same call: got error %v, want nil", err)
	}
	if err := s.Take(t.Context(), p, call("c", 100)); heldBy(err) != policy.HeldDailyBudget {
		t.Errorf("beyond the budget: got error %v, want a hold by %s", err, policy.HeldDailyBudget)
	}
	if err := s.Done(t.Context(), p.Name, "a", policy.Result{Outcome: policy.Answered, CostMicros: 30}); err != nil {
		t.Fatal(err)
	}
	if err := s.Take(t.Context(), p, call("c", 100)); err != nil {
		t.Errorf("after the actual cost was recorded: got error %v, want nil", err)
	}
	state, err := s.State(t.Context(), p.Name)
	if err != nil || len(state.Days) != 1 || state.Days[0].Calls != 3 || state.Days[0].CostMicros != 230 || len(state.Running) != 2 {
		t.Errorf("got %+v, error %v, want 3 calls with cost 230, 2 of them running", state, err)
	}
}

// TestSuspension checks that denied access holds all calls until the settings or the key change.
func TestSuspension(t *testing.T) {
	s := stores(t, 1)[0]
	p := enabled(t, s, func(*policy.Settings) {})
	if err := s.Take(t.Context(), p, call("a", 1)); err != nil {
		t.Fatal(err)
	}
	refused := policy.Result{Outcome: policy.Refused, Revision: p.Revision, Key: key, Reason: "revoked"}
	if err := s.Done(t.Context(), p.Name, "a", refused); err != nil {
		t.Fatal(err)
	}
	if err := s.Take(t.Context(), p, call("b", 1)); heldBy(err) != policy.HeldSuspended {
		t.Errorf("after denied access: got error %v, want a hold by %s", err, policy.HeldSuspended)
	}
	other := call("c", 1)
	other.Key = "another"
	if err := s.Take(t.Context(), p, other); err != nil {
		t.Errorf("with another key: got error %v, want nil", err)
	}
	p = enabled(t, s, func(*policy.Settings) {})
	if err := s.Take(t.Context(), p, call("d", 1)); err != nil {
		t.Errorf("after a change of the settings: got error %v, want nil", err)
	}
	p = enabled(t, s, func(s *policy.Settings) { s.Enabled = false })
	if err := s.Take(t.Context(), p, call("e", 1)); heldBy(err) != policy.HeldDisabled {
		t.Errorf("a disabled provider: got error %v, want a hold by %s", err, policy.HeldDisabled)
	}
}

// TestPut checks that a writer must specify the revision that it has read.
func TestPut(t *testing.T) {
	s := stores(t, 1)[0]
	settings := policy.Defaults(photojob.Gemini)
	p, err := s.Put(t.Context(), photojob.Gemini, settings, platform.Match{})
	if err != nil || p.Revision != 1 {
		t.Fatalf("got %+v, error %v, want revision 1", p, err)
	}
	if _, err := s.Put(t.Context(), photojob.Gemini, settings, platform.Match{}); !errors.Is(err, platform.ErrUnconditional) {
		t.Errorf("an empty Match: got error %v, want ErrUnconditional", err)
	}
	if _, err := s.Put(t.Context(), photojob.Gemini, settings, platform.Match{Revision: 7}); !errors.Is(err, platform.ErrOtherRevision) {
		t.Errorf("another revision: got error %v, want ErrOtherRevision", err)
	}
	if p, err = s.Put(t.Context(), photojob.Gemini, settings, platform.Match{Revision: 1}); err != nil || p.Revision != 2 {
		t.Errorf("got %+v, error %v, want revision 2", p, err)
	}
	if _, err := s.Put(t.Context(), "dall-e", settings, platform.Match{Any: true}); !errors.Is(err, policy.ErrUnknown) {
		t.Errorf("an unknown provider: got error %v, want ErrUnknown", err)
	}
}

// TestDefault checks that the local provider is the default until an operator sets
// another one.
func TestDefault(t *testing.T) {
	s := stores(t, 1)[0]
	if d, err := s.Default(t.Context()); err != nil || d != (policy.Default{Provider: photojob.Stub}) {
		t.Errorf("got %+v, error %v, want the local provider, revision 0", d, err)
	}
	if _, err := s.PutDefault(t.Context(), photojob.Gemini, platform.Match{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutDefault(t.Context(), photojob.Seedream, platform.Match{}); !errors.Is(err, platform.ErrUnconditional) {
		t.Errorf("an empty Match: got error %v, want ErrUnconditional", err)
	}
	if _, err := s.PutDefault(t.Context(), "dall-e", platform.Match{Any: true}); !errors.Is(err, policy.ErrUnknown) {
		t.Errorf("an unknown provider: got error %v, want ErrUnknown", err)
	}
	if d, err := s.Default(t.Context()); err != nil || d != (policy.Default{Provider: photojob.Gemini, Revision: 1}) {
		t.Errorf("got %+v, error %v, want gemini, revision 1", d, err)
	}
	if p, err := s.Get(t.Context(), "default"); !errors.Is(err, policy.ErrUnknown) {
		t.Errorf("a provider named default: got %+v, error %v, want ErrUnknown", p, err)
	}
}
