package alert

import (
	"math"
	"slices"
	"time"
)

const (
	// VolumeDays and SilentDays are the numbers of earlier days that determine what is usual. Minutes are counted for 7 days.
	VolumeDays = 6
	SilentDays = 14
	// Slack is the time by which what happens every day can be earlier or later.
	Slack = 30 * time.Minute
	// minDays is the number of earlier days that are needed to tell what is usual.
	minDays = 2
	// maxGap is the time between evaluations after which the time without items is measured from the beginning: items may be missing.
	maxGap = 5 * time.Minute
)

// Reasons why an alert cannot fire.
const (
	WaitingHistory = "less than 2 earlier days have items: what is usual is not known yet"
	WaitingItems   = "the window has fewer items than minItems"
	WaitingUsual   = "fewer items than minItems are usual in this time"
	WaitingTooMany = "the window has too many items to search for the keyword: choose a shorter window, or a tag"
)

// Observed is what the dashboard counted up to At.
type Observed struct {
	At       time.Time // the exclusive end of the window, a whole minute, UTC
	Items    int       // in the window, of the alert
	Negative int       // of them
	Last     time.Time // the end of the last minute of the window that has items; zero if none has
	// Minutes, for volume, are the counts of the alert's items by minute: of the window and the Slack before and after it, on each of the
	// VolumeDays days before. Minutes without items may be missing.
	Minutes map[time.Time]int
	// Hours, for volume and silent, are the counts by hour of the SilentDays days before the time without items, the longest of which that
	// matters is MaxSilence. Hours without items may be missing.
	Hours map[time.Time]int
	// TooMany is set if the items could not be counted because there are too many.
	TooMany bool
}

// Evaluate returns the next state of an alert, of which was is the last state, or the zero State. If the status is another one, Since is
// At, Notified is false, and the caller sets the Cause.
func Evaluate(a Alert, o Observed, was State) State {
	s := was
	if s.Status == "" {
		s.Status, s.Since, s.Notified = OK, o.At, true // nothing has happened yet
	}
	if s.Revision != a.Revision {
		if !s.Settings.sameItems(a.Settings) {
			s.Watched, s.Last = time.Time{}, time.Time{}
		}
		s.Turning, s.Revision, s.Settings = time.Time{}, a.Revision, a.Settings
	}
	gap := o.At.Sub(s.At) > maxGap || o.At.Before(s.At)
	if gap {
		s.Turning = time.Time{}
	}
	if s.Watched.IsZero() || gap && s.Status == OK {
		s.Watched, s.Last = o.At, time.Time{}
	}
	s.At, s.Count, s.Waiting, s.Usual = o.At, o.Items, "", nil
	if o.Last.After(s.Last) {
		s.Last = o.Last
	}
	if !a.Active() {
		s.Value, s.Limit = 0, 0
		if s.Status == Firing {
			s.turn(OK)
		}
		return s
	}
	bound, calm := s.measure(a.Settings, o)
	s.Limit = bound
	if turning := s.Status == OK && s.Waiting == "" && s.Value >= bound || s.Status == Firing && calm; !turning {
		s.Turning = time.Time{}
		return s
	}
	if s.Turning.IsZero() {
		s.Turning = o.At
	}
	switch lasted := o.At.Sub(s.Turning); {
	case s.Status == OK && lasted >= duration(a.Settings.FireAfter):
		s.turn(Firing)
	case s.Status == Firing && lasted >= duration(a.Settings.ResolveAfter):
		s.turn(OK)
	}
	return s
}

func (s *State) turn(to string) {
	s.Status, s.Since, s.Turning, s.Notified = to, s.At, time.Time{}, false
	if to == Firing {
		s.Cause = Cause{}
	}
}

// measure sets the value, and why the alert cannot fire. It returns the value from which the alert fires, and whether a firing alert may
// resolve.
func (s *State) measure(set Settings, o Observed) (bound float64, calm bool) {
	if o.TooMany {
		s.Waiting = WaitingTooMany
		return set.Threshold, false
	}
	switch set.Kind {
	case Volume:
		return s.measureVolume(set, o)
	case Negative:
		s.Value = 0
		if o.Items > 0 {
			s.Value = round(float64(o.Negative) / float64(o.Items))
		}
		if o.Items < set.MinItems {
			s.Waiting = WaitingItems
			return set.Threshold, true
		}
		return set.Threshold, s.Value < set.Resolve
	case Silent:
		return s.measureSilence(set, o)
	}
	s.Value = float64(o.Items)
	return set.Threshold, s.Value < set.Resolve
}

func (s *State) measureVolume(set Settings, o Observed) (bound float64, calm bool) {
	s.Value = float64(o.Items)
	usual, ok := o.usualVolume(set.Span())
	if !ok {
		s.Waiting = WaitingHistory
		return float64(set.MinItems), true
	}
	s.Usual = &usual
	least := float64(set.MinItems)
	return max(set.Threshold*usual, least), s.Value < max(set.Resolve*usual, least*set.Resolve/set.Threshold)
}

// measureSilence measures the time since the last item, or since the alert is watched.
func (s *State) measureSilence(set Settings, o Observed) (bound float64, calm bool) {
	begun := s.Watched
	if s.Last.After(begun) {
		begun = s.Last
	}
	silence := o.At.Sub(begun)
	s.Value = silence.Minutes()
	bound = set.Span().Minutes()
	expected, ok := o.usualSince(begun)
	if ok {
		s.Usual = &expected
	}
	if s.Status == OK { // otherwise only an item ends the silence
		switch {
		case !ok:
			s.Waiting = WaitingHistory
		case expected < float64(set.MinItems):
			s.Waiting = WaitingUsual
		}
	}
	return bound, s.Value < bound
}

// began returns the end of the first hour with items, which is not complete, or At if there is none.
func (o Observed) began() time.Time {
	first := o.At
	for hour, n := range o.Hours {
		if end := hour.Add(time.Hour); n > 0 && end.Before(first) {
			first = end
		}
	}
	return first
}

// usualVolume returns the number of items that are usual in the window: of the busiest window of the same length about the same time of
// each earlier day, the median. What happens every day, such as an import, is therefore usual, also if it is not punctual. ok is false if
// there are too few earlier days.
func (o Observed) usualVolume(span time.Duration) (items float64, ok bool) {
	began := o.began()
	var busiest []float64
	for day := 1; day <= VolumeDays; day++ {
		to := o.At.Add(-time.Duration(day)*24*time.Hour + Slack)
		minute := to.Add(-span - 2*Slack)
		if minute.Before(began) {
			break
		}
		most, sum := 0, 0
		for ; minute.Before(to); minute = minute.Add(time.Minute) {
			sum += o.Minutes[minute] - o.Minutes[minute.Add(-span)]*within(minute.Add(-span), to.Add(-span-2*Slack))
			most = max(most, sum)
		}
		busiest = append(busiest, float64(most))
	}
	if len(busiest) < minDays {
		return 0, false
	}
	return median(busiest), true
}

// within returns 1 if a minute is not before from, else 0.
func within(minute, from time.Time) int {
	if minute.Before(from) {
		return 0
	}
	return 1
}

// usualSince returns the number of items that are usual since a time without items began: of its complete hours, the mean of the same
// hours of earlier days. ok is false if there are too few earlier days.
func (o Observed) usualSince(begun time.Time) (items float64, ok bool) {
	began := o.began()
	hour := maxTime(begun, o.At.Add(-MaxSilence)).Add(time.Hour - 1).Truncate(time.Hour)
	for ; !hour.Add(time.Hour).After(o.At); hour = hour.Add(time.Hour) {
		sum, days := 0, 0
		for day := 1; day <= SilentDays; day++ {
			at := hour.Add(-time.Duration(day) * 24 * time.Hour)
			if at.Before(began) {
				break
			}
			sum, days = sum+o.Hours[at], days+1
		}
		if days < minDays {
			return 0, false
		}
		items += float64(sum) / float64(days)
	}
	return round(items), true
}

func median(counts []float64) float64 {
	slices.Sort(counts)
	middle := len(counts) / 2
	if len(counts)%2 == 1 {
		return counts[middle]
	}
	return (counts[middle-1] + counts[middle]) / 2
}

// round rounds to 4 decimals, so that values are short in JSON.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
