package policy

import (
	"fmt"
	"slices"
	"time"
)

// State is what the calls of a provider came to. Its changes are pure; the Store makes
// them one after the other. Times are epoch milliseconds.
type State struct {
	Days        []Day            `json:"days,omitempty"`   // the newest last; at most keptDays
	Minute      int64            `json:"minute,omitempty"` // since the epoch, the last with a call
	MinuteCalls int              `json:"minuteCalls,omitempty"`
	Running     map[string]Since `json:"running,omitempty"` // by the id of the call
	HeldUntil   int64            `json:"heldUntil,omitempty"`
	Failures    int              `json:"failures,omitempty"`  // in a row
	Opened      int              `json:"opened,omitempty"`    // how often in a row the breaker has opened
	OpenUntil   int64            `json:"openUntil,omitempty"` // and then one call tries
	Suspended   *Suspension      `json:"suspended,omitempty"`
}

// Day is what a day (UTC) has used. A call counts from before it is made.
type Day struct {
	Day        string `json:"day" example:"2026-11-22"`
	Calls      int    `json:"calls"`
	CostMicros int64  `json:"costMicros" doc:"in millionths of a US dollar: never less than what was billed"`
}

// Since is a call in progress.
type Since struct {
	Until      int64  `json:"until"` // when its worker has stopped waiting
	CostMicros int64  `json:"costMicros"`
	Day        string `json:"day"`
	Probe      bool   `json:"probe,omitempty"` // tries whether the provider works again
}

// Suspension is that a provider refused access: until its settings or its key change.
type Suspension struct {
	At       int64  `json:"at"`
	Revision int64  `json:"revision"` // of the settings
	Key      string `json:"key"`      // a digest
	Reason   string `json:"reason"`
}

// Codes of what holds calls, as operators see them.
const (
	HeldDisabled    = "disabled"
	HeldSuspended   = "suspended"
	HeldBreaker     = "breaker"
	HeldByProvider  = "rate_limited" // the provider asked for a pause
	HeldConcurrent  = "concurrent"
	HeldPerMinute   = "per_minute"
	HeldPerDay      = "per_day"
	HeldDailyBudget = "daily_budget"
)

// HeldCodes returns all of them.
func HeldCodes() []string {
	return []string{HeldDisabled, HeldSuspended, HeldBreaker, HeldByProvider, HeldConcurrent, HeldPerMinute, HeldPerDay, HeldDailyBudget}
}

// Held is that no call may be made now.
type Held struct {
	Code  string
	Until time.Time // when it may be worth to ask again
	Err   string    // why, in words
}

func (h *Held) Error() string { return h.Err }

// Off reports whether only an operator changes it, and not time.
func (h *Held) Off() bool { return h.Code == HeldDisabled || h.Code == HeldSuspended }

const (
	// keptDays has the month of a bill, and the one in progress.
	keptDays = 62
	// skew is how much the clocks of workers may differ.
	skew = 30 * time.Second
	// failuresToOpen in a row open the breaker, at first for openFor, doubling up to
	// openMost.
	failuresToOpen = 5
	openFor        = 30 * time.Second
	openMost       = 10 * time.Minute
	// defaultHold is the pause of a provider that does not say for how long.
	defaultHold = 30 * time.Second
	// soon is when to ask again for what may change at any moment.
	soon = time.Second
	// offWait is when to ask again for what an operator changes.
	offWait = time.Minute
)

// day returns the counts of today. A process whose clock is behind counts for the day that
// others have begun.
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

// held returns why no call of a cost may be made now, nil if one may.
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
		return because(HeldBreaker, time.UnixMilli(s.OpenUntil), "the provider %s has failed %d times in a row", p.Name, s.Failures)
	case s.Opened > 0 && probing:
		return because(HeldBreaker, now.Add(soon), "one call tries whether the provider %s works again", p.Name)
	case now.UnixMilli() < s.HeldUntil:
		return because(HeldByProvider, time.UnixMilli(s.HeldUntil), "the provider %s asked for a pause", p.Name)
	case used.Calls >= p.Settings.PerDay:
		return because(HeldPerDay, tomorrow, "the provider %s has had its %d calls of the day", p.Name, p.Settings.PerDay)
	case used.CostMicros+cost > p.Settings.DailyBudget:
		return because(HeldDailyBudget, tomorrow, "the provider %s has used its budget of the day", p.Name)
	case s.Minute >= minute && s.MinuteCalls >= p.Settings.PerMinute:
		return because(HeldPerMinute, time.Unix((minute+1)*60, 0), "the provider %s has had its %d calls of the minute", p.Name, p.Settings.PerMinute)
	case running >= p.Settings.Concurrent:
		return because(HeldConcurrent, now.Add(soon), "the provider %s has %d calls in progress", p.Name, running)
	}
	return nil
}

// Between returns the days from one to another, both included.
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
			delete(s.Running, id) // its worker is gone; its cost stays counted
		}
	}
	if s.Running == nil {
		s.Running = map[string]Since{}
	}
	s.Running[c.ID] = Since{Until: c.Until.UnixMilli(), CostMicros: c.CostMicros, Day: day.Day, Probe: s.Opened > 0}
}

// done records what a call came to. One that is not in progress any more counts as it was
// taken.
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
			s.OpenUntil = now.Add(min(openFor<<min(s.Opened, 10), openMost)).UnixMilli()
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
