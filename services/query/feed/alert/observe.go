package alert

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

const day = 24 * time.Hour

func scopeOf(set alert.Settings) dashboard.Scope {
	return dashboard.Scope{Tag: set.Tag, SourceType: set.SourceType, Source: set.Source}
}

// observe counts what an alert needs for the window that ends at a minute.
func (e *Evaluator) observe(ctx context.Context, set alert.Settings, at time.Time) (alert.Observed, error) {
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
	counted, err := e.Dashboard.Minutes(ctx, scope, from, at)
	if err != nil {
		return o, err
	}
	for minute, c := range counted {
		o.Items += c.Positive + c.Neutral + c.Negative
		o.Negative += c.Negative
		if end := minute.Add(time.Minute); end.After(o.Last) {
			o.Last = end
		}
	}
	if set.Kind != alert.Volume && set.Kind != alert.Silent {
		return o, nil
	}
	hours, err := e.Dashboard.Hours(ctx, scope, at.Add(-alert.MaxSilence-alert.HistoryDays*day).Truncate(day), at.Truncate(time.Hour).Add(time.Hour))
	if err != nil {
		return o, err
	}
	o.Hours = map[time.Time]int{}
	for hour, c := range hours {
		o.Hours[hour] = c.Positive + c.Neutral + c.Negative
	}
	return o, nil
}

func mentions(set alert.Settings, row dashboard.Row) bool {
	return set.Keyword == "" || feed.Mentions(row.TextSnippet, set.Keyword)
}
