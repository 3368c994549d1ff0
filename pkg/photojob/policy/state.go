package policy

import (
	"fmt"
	"slices"
	"time"
)

// State is the state of a provider, which results from the calls to it. Its methods have no side effects
// other than on the State; the Store applies them one at a time. Times are epoch milliseconds.
type State struct {
	Days        []Day            `json:"days,omitempty"`   // oldest first; at most keptDays
	Minute      int64            `json:"minute,omitempty"` // minute of the last call, in minutes since the epoch
	MinuteCalls int              `json:"minuteCalls,omitempty"`
	Running     map[string]Since `json:"running,omitempty"` // by call id
	HeldUntil   int64            `json:"heldUntil,omitempty"`
	Failures    int              `json:"failures,omitempty"`  // consecutive
	Opened      int              `json:"opened,omitempty"`    // consecutive openings of the breaker
	OpenUntil   int64            `json:"openUntil,omitempty"` // then one call probes the provider
	Suspended   *Suspension      `json:"suspended,omitempty"`
}

// Day is the usage of a day (UTC). A call counts before it is made.
type Day struct {
	Day        string `json:"day" example:"2026-11-22"`
	Calls      int    `json:"calls"`
	CostMicros int64  `json:"costMicros" doc:"in millionths of a US dollar: never lower than the billed amount"`
}

// Since is a call in progress.
type Since struct {
	Until      int64  `json:"until"` // time at which its worker stops waiting
	CostMicros int64  `json:"costMicros"`
	Day        string `json:"day"`
	Probe      bool   `json:"probe,omitempty"` // whether the call tests if the provider works again
}

// Suspension means that a provider denied access. It lasts until the provider's settings or key change.
type Suspension struct {
	At       int64  `json:"at"`
	Revision int64  `json:"revision"` // of the settings
	Key      string `json:"key"`      // a digest
	Reason   string `json:"reason"`
}

// Values of Held.Code, which operators see.
const (
	HeldDisabled    = "disabled"
	HeldSuspended   = "suspended"
	HeldBreaker     = "breaker"
	HeldByProvider  = "rate_limited" // the provider requested a pause
	HeldConcurrent  = "concurrent"
	HeldPerMinute   = "per_minute"
	HeldPerDay      = "per_day"
	HeldDailyBudget = "daily_budget"
)

// HeldCodes returns all values of Held.Code.
func HeldCodes() []string {
	return []string{HeldDisabled, HeldSuspended, HeldBreaker, HeldByProvider, HeldConcurrent, HeldPerMinute, HeldPerDay, HeldDailyBudget}
}

// Held is the reason why no call may be made now.
type Held struct {
	Code  string
	Until time.Time // when to check again
	Err   string    // the reason in words
}

func (h *Held) Error() string { return h.Err }

// Summary returns the reason for users, who are not told the settings of the provider.
func (h *Held) Summary(provider string) string {
	switch h.Code {
	case HeldDisabled:
		return "the provider " + provider + " is disabled"
	case HeldSuspended:
		return "the provider " + provider + " is suspended"
	case HeldBreaker:
		return "the provider " + provider + " fails"
	}
	return "the provider " + provider + " has reached a limit"
}

// Off reports whether only an operator can end the hold.
func (h *Held) Off() bool { return h.Code == HeldDisabled || h.Code == HeldSuspended }

const (
	// keptDays covers the current and the previous month.
	keptDays = 62
	// skew is the maximum difference between the clocks of workers.
	skew = 30 * time.Second
	// The breaker opens after failuresToOpen consecutive failures, at first for openFor, then twice as
	// long each time, up to maxOpen.
	failuresToOpen = 5
	openFor        = 30 * time.Second
	maxOpen        = 10 * time.Minute
	// defaultHold is the pause if a provider limits calls without specifying a pause.
	defaultHold = 30 * time.Second
	// recheck is the time until the next check of a limit that may be lifted at any
	// time.
	recheck = time.Second
	// offWait is the time until the next check of a hold that only operators
	// can end.
	offWait = time.Minute
)

// day returns the usage of today, or of the last day for which calls were counted if this process's clock
// is behind.
func (s *State) day(now time.Time) *Day {
	today := now.UTC().Format(time.DateOnly)
	if n := len(s.Days); n == 0 || s.Days[n-1].Day < today {
		s.Days = append(s.Days, Day{Day: today})
		if len(s.Days) > keptDays {
			s.Days = slices.Clone(s.Days[len(s.Days)-keptDays:])
		}
	}
	return &s.Days[len(s.Days)-1]
}

// held returns the reason why no call of this cost may be made now, or nil.
func (s *State) held(p Provider, key string, cost int64, now time.Time) *Held {
	because := func(code string, until time.Time, format string, args ...any) *Held {
		return &Held{code, until, fmt.Sprintf(format, args...)}
	}
	tomorrow := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	minute := now.Unix() / 60
	used := Day{}
	if n := len(s.Days); n > 0 && s.Days[n-1].Day >= now.UTC().Format(time.DateOnly) {
		used = s.Days[n-1]
	}
	running, probing := 0, false
	for _, r := range s.Running {
		if r.Until+skew.Milliseconds() > now.UnixMilli() {
			running++
			probing = probing || r.Probe
		}
	}
	switch {
	case !p.Settings.Enabled:
		return because(HeldDisabled, now.Add(offWait), "the provider %s is disabled", p.Name)
	case s.suspended(p.Revision, key):
		return because(HeldSuspended, now.Add(offWait), "the provider %s is suspended: %s", p.Name, s.Suspended.Reason)
	case now.UnixMilli() < s.OpenUntil:
		return because(HeldBreaker, time.UnixMilli(s.OpenUntil), "the provider %s has failed %d consecutive times", p.Name, s.Failures)
	case s.Opened > 0 && probing:
		return because(HeldBreaker, now.Add(recheck), "one call is testing whether the provider %s works again", p.Name)
	case now.UnixMilli() < s.HeldUntil:
		return because(HeldByProvider, time.UnixMilli(s.HeldUntil), "the provider %s requested a pause", p.Name)
	case used.Calls >= p.Settings.PerDay:
		return because(HeldPerDay, tomorrow, "the provider %s has reached its limit of %d calls per day", p.Name, p.Settings.PerDay)
	case used.CostMicros+cost > p.Settings.DailyBudget:
		return because(HeldDailyBudget, tomorrow, "the provider %s has used up its daily budget", p.Name)
	case s.Minute >= minute && s.MinuteCalls >= p.Settings.PerMinute:
		return because(HeldPerMinute, time.Unix((minute+1)*60, 0), "the provider %s has reached its limit of %d calls per minute", p.Name, p.Settings.PerMinute)
	case running >= p.Settings.Concurrent:
		return because(HeldConcurrent, now.Add(recheck), "the provider %s has %d calls in progress", p.Name, running)
	}
	return nil
}

// Between returns the usage of the days between from and to, inclusive.
func (s *State) Between(from, to string) []Day {
	found := []Day{}
	for _, day := range s.Days {
		if day.Day >= from && day.Day <= to {
			found = append(found, day)
		}
	}
	return found
}

func (s *State) suspended(revision int64, key string) bool {
	return s.Suspended != nil && s.Suspended.Revision == revision && s.Suspended.Key == key
}

// take counts a call that is about to be made.
func (s *State) take(c Call, now time.Time) {
	day := s.day(now)
	day.Calls++
	day.CostMicros += c.CostMicros
	if minute := now.Unix() / 60; minute > s.Minute {
		s.Minute, s.MinuteCalls = minute, 0
	}
	s.MinuteCalls++
	for id, r := range s.Running {
		if r.Until+skew.Milliseconds() <= now.UnixMilli() {
			delete(s.Running, id) // its worker has crashed; its cost still counts
		}
	}
	if s.Running == nil {
		s.Running = map[string]Since{}
	}
	s.Running[c.ID] = Since{Until: c.Until.UnixMilli(), CostMicros: c.CostMicros, Day: day.Day, Probe: s.Opened > 0}
}

// done records the result of a call. If the call is no longer in progress, its reserved cost remains counted.
func (s *State) done(id string, r Result, now time.Time) {
	if running, ok := s.Running[id]; ok {
		delete(s.Running, id)
		for i := range s.Days {
			if s.Days[i].Day == running.Day {
				s.Days[i].CostMicros += r.CostMicros - running.CostMicros
			}
		}
	}
	switch r.Outcome {
	case Answered:
		s.Failures, s.Opened, s.OpenUntil = 0, 0, 0
	case Failed:
		s.Failures++
		if s.Failures >= failuresToOpen && now.UnixMilli() >= s.OpenUntil {
			s.OpenUntil = now.Add(min(openFor<<min(s.Opened, 10), maxOpen)).UnixMilli()
			s.Opened++
		}
	case Limited:
		wait := r.RetryAfter
		if wait <= 0 {
			wait = defaultHold
		}
		s.HeldUntil = max(s.HeldUntil, now.Add(wait).UnixMilli())
	case Refused:
		s.Suspended = &Suspension{At: now.UnixMilli(), Revision: r.Revision, Key: r.Key, Reason: r.Reason}
	}
}
