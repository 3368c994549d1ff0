package alert_test

import (
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed/alert"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func settings(t *testing.T, s alert.Settings) alert.Alert {
	t.Helper()
	s.Enabled = true
	s = s.WithDefaults()
	if wrong := s.Check(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return alert.Alert{Name: "a", Revision: 1, Settings: s}
}

// run evaluates an alert every minute, and returns the minutes at which its status changed. A change counts as notified.
func run(a alert.Alert, minutes int, observe func(minute int) alert.Observed) (changes []int, s alert.State) {
	for minute := range minutes {
		o := observe(minute)
		o.At = noon.Add(time.Duration(minute) * time.Minute)
		if s = alert.Evaluate(a, o, s); !s.Notified {
			changes, s.Notified = append(changes, minute), true
		}
	}
	return changes, s
}

func expect(t *testing.T, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the status changed at the minutes %v, want %v", got, want)
	}
}

func TestMatchFiresAndResolves(t *testing.T) {
	a := settings(t, alert.Settings{Kind: alert.Match, Keyword: "outage", Threshold: 5})
	// 4 and 5 in turns do not resolve the alert, because resolve is 4; below 4 it resolves after 5 minutes.
	got, s := run(a, 60, func(minute int) alert.Observed {
		switch {
		case minute < 10:
			return alert.Observed{Items: 4}
		case minute < 30:
			return alert.Observed{Items: 5 - minute%2}
		case minute == 33:
			return alert.Observed{Items: 4}
		}
		return alert.Observed{Items: 3}
	})
	expect(t, got, 10, 39)
	if s.Status != alert.OK || s.Value != 3 || s.Limit != 5 || !s.Since.Equal(noon.Add(39*time.Minute)) {
		t.Errorf("got state %+v", s)
	}
}

func TestFiringWaitsForFireAfter(t *testing.T) {
	a := settings(t, alert.Settings{Kind: alert.Match, Tag: "x", FireAfter: "3m", ResolveAfter: "0s"})
	got, _ := run(a, 20, func(minute int) alert.Observed {
		if minute == 2 || minute == 3 || minute >= 10 && minute < 15 {
			return alert.Observed{Items: 1}
		}
		return alert.Observed{}
	})
	expect(t, got, 13, 15)
}

func TestNegativeNeedsItems(t *testing.T) {
	a := settings(t, alert.Settings{Kind: alert.Negative, Threshold: 0.5, MinItems: 10, ResolveAfter: "0s"})
	got, s := run(a, 40, func(minute int) alert.Observed {
		switch {
		case minute < 10:
			return alert.Observed{Items: 9, Negative: 9} // a quiet night
		case minute < 20:
			return alert.Observed{Items: 20, Negative: 9}
		case minute < 30:
			return alert.Observed{Items: 20, Negative: 10 - minute%2} // at least 0.4
		}
		return alert.Observed{Items: 9, Negative: 9}
	})
	expect(t, got, 20, 30)
	if s.Waiting != alert.WaitingItems {
		t.Errorf("got waiting %q, want %q", s.Waiting, alert.WaitingItems)
	}
}

// history returns the counts of earlier days with the same number of items every hour, evenly, and every day a burst.
func history(days, hourly, burst int, at time.Duration) (hours, minutes map[time.Time]int) {
	hours, minutes = map[time.Time]int{}, map[time.Time]int{}
	for minute := noon.Add(-time.Duration(days) * day); minute.Before(noon); minute = minute.Add(time.Minute) {
		n := 0
		if minute.Minute()%(60/hourly) == 0 {
			n = 1
		}
		if minute.Sub(minute.Truncate(day)) == at {
			n += burst
		}
		hours[minute.Truncate(time.Hour)] += n
		minutes[minute] = n
	}
	return hours, minutes
}

func TestVolumeAgainstTheUsual(t *testing.T) {
	a := settings(t, alert.Settings{Kind: alert.Volume, MinItems: 10})
	for name, c := range map[string]struct {
		days, burst int
		at          time.Duration
		items       int
		fires       bool
		usual       float64
		waiting     string
	}{
		"less than three times as many":  {7, 0, 0, 17, false, 6, ""},
		"three times as many":            {7, 0, 0, 18, true, 6, ""},
		"one day":                        {1, 0, 0, 1000, false, 0, alert.WaitingHistory},
		"three days":                     {3, 0, 0, 18, true, 6, ""},
		"a daily import is 20 min early": {7, 500, 12*time.Hour + 20*time.Minute, 506, false, 506, ""},
		"a daily import is 20 min late":  {7, 500, 11*time.Hour + 10*time.Minute, 506, false, 506, ""},
		"an import at another time":      {7, 500, 9 * time.Hour, 506, true, 6, ""},
	} {
		hours, minutes := history(c.days, 12, c.burst, c.at)
		s := alert.Evaluate(a, alert.Observed{At: noon, Items: c.items, Hours: hours, Minutes: minutes}, alert.State{})
		usual := 0.0
		if s.Usual != nil {
			usual = *s.Usual
		}
		if fires := s.Status == alert.Firing; fires != c.fires || usual != c.usual || s.Waiting != c.waiting {
			t.Errorf("%s: got firing = %t, usual %g, waiting %q, want %t, %g, %q", name, fires, usual, s.Waiting, c.fires, c.usual, c.waiting)
		}
	}
}

func TestSilence(t *testing.T) {
	a := settings(t, alert.Settings{Kind: alert.Silent, Source: "wire"})
	hours, _ := history(10, 12, 0, 0)
	last := func(at int) func(int) alert.Observed {
		return func(minute int) alert.Observed {
			o := alert.Observed{Hours: hours}
			if minute >= at && minute < at+120 {
				o.Items, o.Last = 1, noon.Add(time.Duration(at)*time.Minute)
			}
			return o
		}
	}
	got, _ := run(a, 300, last(30))
	expect(t, got, 150)
	got, _ = run(a, 600, func(minute int) alert.Observed { // silent again after the resolution
		if minute < 400 {
			return last(30)(minute)
		}
		return last(400)(minute)
	})
	expect(t, got, 150, 405, 520)

	// A source that has no items at this time of day does not fire, and one without two earlier days neither.
	for name, c := range map[string]struct {
		hours   map[time.Time]int
		waiting string
	}{
		"night": {map[time.Time]int{noon.Add(-9*day - 6*time.Hour): 100, noon.Add(-8*day - 6*time.Hour): 100, noon.Add(-day - 6*time.Hour): 100}, alert.WaitingUsual},
		"new":   {map[time.Time]int{noon.Add(-day): 100}, alert.WaitingHistory},
	} {
		got, s := run(a, 300, func(int) alert.Observed { return alert.Observed{Hours: c.hours} })
		expect(t, got)
		if s.Waiting != c.waiting {
			t.Errorf("%s: got waiting %q, want %q", name, s.Waiting, c.waiting)
		}
	}

	// After a gap, the silence counts from the end of the gap.
	_, s := run(a, 100, last(30))
	s = alert.Evaluate(a, alert.Observed{At: noon.Add(8 * time.Hour), Hours: hours}, s)
	if s.Status != alert.OK || s.Value != 0 {
		t.Errorf("after a gap: got status %s, value %g, want ok, 0", s.Status, s.Value)
	}
}

func TestDisablingResolves(t *testing.T) {
	a := settings(t, alert.Settings{Kind: alert.Match, Tag: "x"})
	s := alert.Evaluate(a, alert.Observed{At: noon, Items: 1}, alert.State{})
	if s.Status != alert.Firing || s.Notified {
		t.Fatalf("got state %+v, want firing", s)
	}
	for name, change := range map[string]func(*alert.Alert){
		"disabled": func(a *alert.Alert) { a.Settings.Enabled = false }, "deleted": func(a *alert.Alert) { a.Deleted = true },
	} {
		changed := a
		change(&changed)
		changed.Revision++
		next := alert.Evaluate(changed, alert.Observed{At: noon.Add(time.Minute)}, s)
		if next.Status != alert.OK || next.Notified || next.EventID("a") != "feed.alert/a/resolved/1795521660000" {
			t.Errorf("%s: got state %+v with event %s", name, next, next.EventID("a"))
		}
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		settings alert.Settings
		fields   []string
	}{
		"kind":      {alert.Settings{Kind: "other"}, []string{"kind"}},
		"no items":  {alert.Settings{Kind: alert.Match}, []string{"keyword"}},
		"two":       {alert.Settings{Kind: alert.Match, Tag: "a", Source: "b"}, []string{"tag"}},
		"window":    {alert.Settings{Kind: alert.Negative, Window: "90s"}, []string{"window"}},
		"silence":   {alert.Settings{Kind: alert.Silent, Window: "72h"}, nil},
		"long":      {alert.Settings{Kind: alert.Volume, Window: "72h"}, []string{"window"}},
		"factor":    {alert.Settings{Kind: alert.Volume, Threshold: 1}, []string{"threshold"}},
		"share":     {alert.Settings{Kind: alert.Negative, Threshold: 60}, []string{"threshold"}},
		"number":    {alert.Settings{Kind: alert.Match, Tag: "a", Threshold: 1.5}, []string{"threshold"}},
		"resolve":   {alert.Settings{Kind: alert.Volume, Resolve: 5}, []string{"resolve"}},
		"misplaced": {alert.Settings{Kind: alert.Silent, Threshold: 2, Keyword: "a"}, []string{"keyword", "resolve", "threshold"}},
		"after":     {alert.Settings{Kind: alert.Volume, FireAfter: "-1m", ResolveAfter: "x"}, []string{"fireAfter", "resolveAfter"}},
	} {
		var got []string
		for _, v := range c.settings.WithDefaults().Check() {
			got = append(got, v.Field)
		}
		if !slices.Equal(got, c.fields) {
			t.Errorf("%s: got violations of %v, want %v", name, got, c.fields)
		}
	}
}
