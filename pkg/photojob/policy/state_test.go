package policy

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
)

func provider() Provider {
	p := Provider{Name: photojob.Gemini, Revision: 1, Settings: Defaults(photojob.Gemini)}
	p.Settings.Enabled = true
	return p
}

var noon = time.Date(2026, 11, 22, 12, 0, 30, 0, time.UTC)

func code(h *Held) string {
	if h == nil {
		return ""
	}
	return h.Code
}

// TestBreaker checks that five consecutive failures open the breaker, and that one call then probes the
// provider: if it fails, the breaker opens for twice as long; if it succeeds, the breaker closes.
func TestBreaker(t *testing.T) {
	p, s, now := provider(), &State{}, noon
	fails := func(n int) {
		for i := range n {
			id := fmt.Sprint(now.Unix(), i)
			if h := s.held(p, "", 1, now); h != nil {
				t.Fatalf("after failure %d: got hold %s, want none", i, h.Code)
			}
			s.take(Call{ID: id, Until: now.Add(time.Minute)}, now)
			s.done(id, Result{Outcome: Failed}, now)
		}
	}
	fails(failuresToOpen)
	for open, opens := openFor, 0; opens < 3; opens++ {
		if h := s.held(p, "", 1, now); code(h) != HeldBreaker || !h.Until.Equal(now.Add(open)) {
			t.Fatalf("after opening %d: got hold %+v, want one until %s", opens+1, h, now.Add(open))
		}
		now = now.Add(open)
		if h := s.held(p, "", 1, now); h != nil {
			t.Fatalf("the probing call: got hold %s, want none", h.Code)
		}
		s.take(Call{ID: "probe", Until: now.Add(time.Minute)}, now)
		if h := s.held(p, "", 1, now); code(h) != HeldBreaker {
			t.Fatalf("a second call during the probe: got hold %+v, want HeldBreaker", h)
		}
		s.done("probe", Result{Outcome: Failed}, now)
		open *= 2
	}
	now = now.Add(maxOpen)
	s.take(Call{ID: "probe", Until: now.Add(time.Minute)}, now)
	s.done("probe", Result{Outcome: Answered}, now)
	if h := s.held(p, "", 1, now); h != nil {
		t.Errorf("after a success: got hold %s, want none", h.Code)
	}
	fails(failuresToOpen - 1)
	if h := s.held(p, "", 1, now); h != nil {
		t.Errorf("after %d failures: got hold %s, want none", failuresToOpen-1, h.Code)
	}
}

// TestLostWorker checks that a call whose worker has crashed is no longer in progress once its
// deadline has passed on every clock, and that its cost remains counted.
func TestLostWorker(t *testing.T) {
	p, s := provider(), &State{}
	p.Settings.Concurrent = 1
	s.take(Call{ID: "a", CostMicros: 7, Until: noon.Add(time.Minute)}, noon)
	for after, want := range map[time.Duration]string{0: HeldConcurrent, time.Minute + skew - time.Second: HeldConcurrent, time.Minute + skew: ""} {
		if got := code(s.held(p, "", 1, noon.Add(after))); got != want {
			t.Errorf("after %s: got %q, want %q", after, got, want)
		}
	}
	s.take(Call{ID: "b", Until: noon.Add(10 * time.Minute)}, noon.Add(5*time.Minute))
	if _, exists := s.Running["a"]; exists || s.Days[0].CostMicros != 7 {
		t.Errorf("got %+v, want call a removed and its cost counted", s)
	}
}

// TestWindows checks that the counts per minute and per day are reset, even if the clocks of processes differ: calls
// of a process whose clock is behind count for the day that has already begun.
func TestWindows(t *testing.T) {
	p, s := provider(), &State{}
	p.Settings.PerMinute, p.Settings.PerDay, p.Settings.Concurrent = 2, 3, 100
	take := func(at time.Time, want string) {
		t.Helper()
		h := s.held(p, "", 1, at)
		if code(h) != want {
			t.Fatalf("at %s: got %q, want %q", at.Format(time.DateTime), code(h), want)
		}
		if h == nil {
			s.take(Call{ID: fmt.Sprint(s.Days), Until: at}, at)
		}
	}
	night := time.Date(2026, 11, 22, 23, 59, 50, 0, time.UTC)
	take(night, "")
	take(night, "")
	take(night, HeldPerMinute)
	take(night.Add(-20*time.Second), HeldPerMinute)
	take(night.Add(15*time.Second), "") // the next minute and day
	take(night.Add(-15*time.Second), "")
	take(night.Add(-15*time.Second), HeldPerMinute)
	take(night.Add(2*time.Minute), "")
	take(night.Add(3*time.Minute), HeldPerDay)
	if s.Days[0].Calls != 2 || s.Days[1].Calls != 3 {
		t.Errorf("got days %+v, want 2 and 3 calls", s.Days)
	}
}

// TestPause checks that calls pause for the time that a provider requests, or for a short time if it does
// not specify one.
func TestPause(t *testing.T) {
	for requested, want := range map[time.Duration]time.Duration{0: defaultHold, 55 * time.Second: 55 * time.Second} {
		p, s := provider(), &State{}
		s.take(Call{ID: "a", Until: noon}, noon)
		s.done("a", Result{Outcome: Limited, RetryAfter: requested}, noon)
		if h := s.held(p, "", 1, noon.Add(want-time.Millisecond)); code(h) != HeldByProvider {
			t.Errorf("requested pause %s: got hold %+v, want HeldByProvider", requested, h)
		}
		if h := s.held(p, "", 1, noon.Add(want)); h != nil {
			t.Errorf("requested pause %s: got hold %+v after it, want none", requested, h)
		}
	}
}

// TestDefaults checks that the defaults are valid and disable the provider.
func TestDefaults(t *testing.T) {
	for _, name := range Paid() {
		s := Defaults(name)
		if wrong := s.Check(name); len(wrong) > 0 || s.Enabled {
			t.Errorf("%s: got violations %v, enabled = %t, want none, false", name, wrong, s.Enabled)
		}
	}
}
