package alert

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

const day = 24 * time.Hour

func scopeOf(set alert.Settings) dashboard.Scope {
	return dashboard.Scope{Tag: feed.FoldTag(set.Tag), SourceType: set.SourceType, Source: set.Source}
}

// counts contains the counters of the windows of all alerts of a round.
type counts map[dashboard.Stretch]map[time.Time]dashboard.Counts

// task is an alert to evaluate for some minutes.
type task struct {
	alert.Alert
	minutes []time.Time // ends of windows
}

// read reads the counters of the windows of all tasks at once.
func (e *Evaluator) read(ctx context.Context, tasks []task) (counts, error) {
	wanted := map[dashboard.Stretch]bool{}
	for _, t := range tasks {
		if n := len(t.minutes); n > 0 && t.Active() && t.Settings.Keyword == "" {
			for _, hour := range hoursOf(t.minutes[0].Add(-t.Settings.Span()), t.minutes[n-1]) {
				wanted[dashboard.Stretch{Scope: scopeOf(t.Settings), Hour: hour}] = true
			}
		}
	}
	return e.Dashboard.Minutes(ctx, slices.Collect(maps.Keys(wanted)))
}

// observe returns what an alert needs for the window that ends at a minute.
func (e *Evaluator) observe(ctx context.Context, set alert.Settings, counted counts, at time.Time) (alert.Observed, error) {
	o := alert.Observed{At: at}
	scope, from := scopeOf(set), at.Add(-set.Span())
	if set.Keyword != "" {
		err := e.Dashboard.Visit(ctx, scope, from, at, func(row dashboard.Row) bool {
			if mentions(set, row) {
				o.Items++
			}
			return true
		})
		if o.TooMany = errors.Is(err, dashboard.ErrTooMany); o.TooMany {
			err = nil
		}
		return o, err
	}
	for _, hour := range hoursOf(from, at) {
		for minute, c := range counted[dashboard.Stretch{Scope: scope, Hour: hour}] {
			if minute.Before(from) || !minute.Before(at) {
				continue
			}
			o.Items += items(c)
			o.Negative += c.Negative
			if end := minute.Add(time.Minute); end.After(o.Last) {
				o.Last = end
			}
		}
	}
	if set.Kind != alert.Volume && set.Kind != alert.Silent {
		return o, nil
	}
	past, err := e.past(ctx, set, at)
	o.Hours, o.Minutes = past.hours, past.minutes
	return o, err
}

// past is what was counted on earlier days. It is read once an hour.
type past struct {
	hour           time.Time // of the evaluation
	hours, minutes map[time.Time]int
}

type pastKey struct {
	scope dashboard.Scope
	kind  string
	span  time.Duration
}

func (e *Evaluator) past(ctx context.Context, set alert.Settings, at time.Time) (past, error) {
	scope, hour := scopeOf(set), at.Truncate(time.Hour)
	key := pastKey{scope, set.Kind, set.Span()}
	if known, ok := e.pasts[key]; ok && known.hour.Equal(hour) {
		return known, nil
	}
	read := past{hour: hour, hours: map[time.Time]int{}, minutes: map[time.Time]int{}}
	days := alert.VolumeDays + 2
	if set.Kind == alert.Silent {
		days = alert.SilentDays + int(alert.MaxSilence/day)
	}
	hours, err := e.Dashboard.Hours(ctx, scope, hour.Add(-time.Duration(days)*day), hour)
	if err != nil {
		return past{}, err
	}
	for at, c := range hours {
		read.hours[at] = items(c)
	}
	if set.Kind == alert.Volume {
		wanted := map[dashboard.Stretch]bool{} // long windows of several days overlap
		for n := 1; n <= alert.VolumeDays; n++ {
			then := hour.Add(-time.Duration(n) * day)
			for _, hour := range hoursOf(then.Add(-set.Span()-alert.Slack), then.Add(time.Hour+alert.Slack)) {
				wanted[dashboard.Stretch{Scope: scope, Hour: hour}] = true
			}
		}
		found, err := e.Dashboard.Minutes(ctx, slices.Collect(maps.Keys(wanted)))
		if err != nil {
			return past{}, err
		}
		for _, counted := range found {
			for minute, c := range counted {
				read.minutes[minute] = items(c)
			}
		}
	}
	e.pasts[key] = read
	return read, nil
}

func items(c dashboard.Counts) int { return c.Positive + c.Neutral + c.Negative }

// hoursOf returns the hours that contain the minutes from one up to another.
func hoursOf(from, to time.Time) []time.Time {
	var hours []time.Time
	for hour := from.Truncate(time.Hour); hour.Before(to); hour = hour.Add(time.Hour) {
		hours = append(hours, hour)
	}
	return hours
}

func mentions(set alert.Settings, row dashboard.Row) bool {
	return set.Keyword == "" || feed.Mentions(row.TextSnippet, set.Keyword)
}
