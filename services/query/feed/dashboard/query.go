package dashboard

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/assay-project/assay/pkg/feed"
)

// Query selects the analyzed items of the last hours, or of a window of whole minutes, that match
// all nonempty properties.
type Query struct {
	Hours      int       // 1 to MaxHours; ignored if From is set
	From, To   time.Time // To is exclusive; zero means now
	SourceType string
	Tag        string
	Sentiment  string
	Compare    bool // for a summary, also count the period before
}

// MaxRows is the maximum number of rows that a read filters if no counter or index contains
// the result.
const MaxRows = 100_000

var (
	// ErrTooMany means that a read would filter more than MaxRows rows.
	ErrTooMany = errors.New("the window has too many items for this filter")
	// ErrWindow means that a window is empty, does not consist of whole minutes, or is outside the retention.
	ErrWindow = fmt.Errorf("the window must begin and end at whole minutes within the last %d hours, or at whole hours within the last %d days", MaxHours, MaxDays)
	// ErrExpired means that a read needs the rows of items, of which a window contains some that have expired.
	ErrExpired = fmt.Errorf("only totals by time, and by one tag or source type, are known of more than %d hours ago", MaxHours)
)

// window returns the window of a query, or ErrWindow if it is invalid.
func (d *Dashboard) window(q Query) (window, error) {
	now := d.now().UTC()
	if q.From.IsZero() && q.To.IsZero() {
		return since(now, q.Hours), nil
	}
	from, to, unit := q.From.UTC(), q.To.UTC(), time.Minute
	expired := from.Before(now.Add(-MaxHours*time.Hour - time.Minute))
	if expired {
		unit = time.Hour
	}
	if from.IsZero() || from != from.Truncate(unit) || to != to.Truncate(unit) || from.Before(now.AddDate(0, 0, -MaxDays).Truncate(24*time.Hour)) {
		return window{}, ErrWindow
	}
	if q.To.IsZero() {
		return window{from: from, now: now, to: now.Add(feed.ClockSkew), expired: expired}, nil
	}
	if !to.After(from) || to.After(now.Add(MaxHours*time.Hour)) {
		return window{}, ErrWindow
	}
	return window{from: from, now: now, to: to, ends: true, expired: expired}, nil
}

// counter returns the scope of the counters that count the query's items, regardless of their
// sentiment. ok is false if there are no such counters.
func (q Query) counter() (scope string, ok bool) {
	if q.SourceType != "" {
		return sourcePrefix + q.SourceType, q.Tag == ""
	}
	return scopeOf(q.Tag), true
}

// restrict returns only the counts of t that have the query's sentiment.
func (q Query) restrict(t tally) tally {
	switch q.Sentiment {
	case feed.Positive:
		return tally{Counts: Counts{Positive: t.Positive}}
	case feed.Neutral:
		return tally{Counts: Counts{Neutral: t.Neutral}}
	case feed.Negative:
		return tally{Counts: Counts{Negative: t.Negative}}
	}
	return t
}

// filtered returns s restricted to items with the given properties; an empty one does not restrict
// it. The spans that share the budget read at most MaxRows rows in total.
func (s span) filtered(sourceType, sentiment string, budget *atomic.Int64) span {
	s.budget = budget
	for name, value := range map[string]string{attrSourceType: sourceType, attrSentiment: sentiment} {
		if value == "" {
			continue
		}
		filter := expression.Name(name).Equal(expression.Value(value))
		if s.filter != nil {
			filter = s.filter.And(filter)
		}
		s.filter = &filter
	}
	return s
}

// rows visits the base or tag rows of a query's items that counters count, with the given attributes. It can return
// ErrTooMany and ErrExpired.
func (d *Dashboard) rows(ctx context.Context, w window, q Query, visit func(Row), attributes ...string) error {
	if w.expired {
		return ErrExpired
	}
	spans := w.spans()
	if q.Tag != "" {
		spans = []span{w.tagged(q.Tag)}
	}
	budget := newBudget()
	for _, s := range spans {
		s = s.filtered(q.SourceType, q.Sentiment, budget)
		s.attributes = append(attributes, attrArchive)
		err := d.each(ctx, s, func(row Row) bool {
			if row.counted() {
				visit(row)
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// counted reports whether counters count the row: it is neither a tombstone nor of an archive. The row has at least the
// attributes sentiment and archive.
func (r Row) counted() bool { return r.Sentiment != "" && !r.Archive }

func newBudget() *atomic.Int64 {
	budget := new(atomic.Int64)
	budget.Store(MaxRows)
	return budget
}

// total counts the items of a query: with counters or, if no counters apply, by reading the rows.
func (d *Dashboard) total(ctx context.Context, w window, q Query) (sum tally, err error) {
	scope, ok := q.counter()
	if !ok {
		err = d.rows(ctx, w, q, func(row Row) { sum.add(row.tally()) }, attrSentiment)
		return sum, err
	}
	counted, err := d.timeline(ctx, w, scope, 24*time.Hour)
	if err != nil {
		return tally{}, err
	}
	for _, t := range counted.tallies {
		sum.add(t)
	}
	return q.restrict(sum), nil
}
