package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
)

// Counts are the numbers of items by sentiment.
type Counts struct {
	Positive int `json:"positive"`
	Neutral  int `json:"neutral"`
	Negative int `json:"negative"`
}

func (c *Counts) add(sentiment string) {
	switch sentiment {
	case feed.Positive:
		c.Positive++
	case feed.Negative:
		c.Negative++
	default:
		c.Neutral++
	}
}

// TagCount is the number of items that matched a tag.
type TagCount struct {
	Tag   string `json:"tag" doc:"as it was last given; tags that differ only in case or in their Unicode composition are counted as one"`
	Count int    `json:"count"`
}

// Rate contains the numbers of recently ingested items.
type Rate struct {
	LastHour int `json:"lastHour"`
	Last24h  int `json:"last24h"`
}

// Summary contains the totals of the analyzed items in a window.
type Summary struct {
	Total     int        `json:"total"`
	Sentiment Counts     `json:"sentiment"`
	Tags      []TagCount `json:"tags" doc:"most frequent first; equal counts by name"`
	// TagsOmitted is set when there are too many items to count their tags.
	TagsOmitted bool      `json:"tagsOmitted,omitempty" doc:"true if more than 100,000 items would be read to count the tags of this filter"`
	Rate        Rate      `json:"rate" doc:"analyzed items by the time of ingestion, independent of the window"`
	Before      *Period   `json:"before,omitempty" doc:"the period of the same length before the window, if compare is set and its counts are known"`
	UpdatedAt   time.Time `json:"updatedAt" doc:"the time of this summary"`
}

// Period contains the totals of a period.
type Period struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Total     int       `json:"total"`
	Sentiment Counts    `json:"sentiment"`
}

// Summary counts the items of a query. It can return ErrWindow, ErrTooMany and ErrExpired.
//
// It reads the items of the window's first minute and, for each tag, one counter per day plus one.
// Each rate requires the same counters for all items. If the query has a tag, a source type or an
// end, Summary reads all items to count the tags, unless there are more than MaxRows. If some rows have expired, it reads
// counters of hours only, of at most MaxRows days and tags.
func (d *Dashboard) Summary(ctx context.Context, q Query) (Summary, error) {
	w, err := d.window(q)
	if err != nil {
		return Summary{}, err
	}
	sum := Summary{Tags: []TagCount{}, UpdatedAt: w.now}
	group, ctx := errgroup.WithContext(ctx)
	counted := q.SourceType == "" && q.Tag == "" && (!w.ends || w.expired)
	switch {
	case counted && w.expired:
		group.Go(func() error { return d.countEach(ctx, w, q, d.byScopeOfHours, &sum) })
	case counted:
		group.Go(func() error { return d.countEach(ctx, w, q, d.byScope, &sum) })
	default:
		group.Go(func() error {
			all, err := d.total(ctx, w, q)
			sum.Total, sum.Sentiment = all.items(), all.Counts
			return err
		})
		group.Go(func() error { return d.countTags(ctx, w, q, &sum) })
	}
	if q.Compare {
		group.Go(func() (err error) {
			sum.Before, err = d.before(ctx, w, q)
			return err
		})
	}
	rates := map[int]*int{1: &sum.Rate.LastHour, 24: &sum.Rate.Last24h}
	for last, rate := range rates {
		if last == q.Hours && counted && q.From.IsZero() {
			continue // it equals the total; see below
		}
		group.Go(func() error {
			all, err := d.total(ctx, since(w.now, last), q)
			*rate = all.items()
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Summary{}, err
	}
	if rate := rates[q.Hours]; rate != nil && counted && q.From.IsZero() {
		*rate = sum.Total
	}
	slices.SortFunc(sum.Tags, func(a, b TagCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Tag, b.Tag)) })
	return sum, nil
}

// before counts the items in the period of the same length before a window. It returns nil if their counts are not known.
// The period ends at a whole minute, or at a whole hour if some of its rows have expired.
func (d *Dashboard) before(ctx context.Context, w window, q Query) (*Period, error) {
	end := w.to
	if !w.ends {
		end = w.now
	}
	for _, unit := range []time.Duration{time.Minute, time.Hour} {
		to := w.from.Truncate(unit)
		period, err := d.window(Query{From: to.Add(-end.Sub(w.from).Round(unit)), To: to})
		if errors.Is(err, ErrWindow) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all, err := d.total(ctx, period, q)
		if errors.Is(err, ErrExpired) || errors.Is(err, ErrTooMany) {
			return nil, nil
		}
		return &Period{From: period.from, To: period.to, Total: all.items(), Sentiment: all.Counts}, err
	}
	return nil, nil
}

// countEach sets the totals and the tags from counters.
func (d *Dashboard) countEach(ctx context.Context, w window, q Query, read func(context.Context, window) (*scopeTallies, error), sum *Summary) error {
	found, err := read(ctx, w)
	if errors.Is(err, ErrTooMany) {
		sum.TagsOmitted = true
		all, err := d.total(ctx, w, q)
		sum.Total, sum.Sentiment = all.items(), all.Counts
		return err
	}
	if err != nil {
		return err
	}
	for scope, t := range found.tallies {
		t := q.restrict(*t)
		if scope == allItems {
			sum.Total, sum.Sentiment = t.items(), t.Counts
		}
		if tag, tagged := strings.CutPrefix(scope, tagPrefix); tagged && t.items() > 0 {
			sum.Tags = append(sum.Tags, TagCount{cmp.Or(found.spellings[scope], tag), t.items()})
		}
	}
	return nil
}

// countTags sets the tags by counting them in the rows of items.
func (d *Dashboard) countTags(ctx context.Context, w window, q Query, sum *Summary) error {
	var found scopeTallies
	err := d.rows(ctx, w, q, found.addTags, attrSentiment, feed.AttrMatchedTags)
	if errors.Is(err, ErrTooMany) || errors.Is(err, ErrExpired) {
		sum.TagsOmitted = true
		return nil
	}
	for scope, t := range found.tallies {
		sum.Tags = append(sum.Tags, TagCount{found.spellings[scope], t.items()})
	}
	return err
}

// byScopeOfHours counts the items of a window of whole hours by scope. It can return ErrTooMany.
func (d *Dashboard) byScopeOfHours(ctx context.Context, w window) (*scopeTallies, error) {
	found := &scopeTallies{}
	err := d.eachCounter(ctx, span{
		partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: hourPartition, from: day(w.from) + "#", to: day(w.to) + atEnd, budget: newBudget(),
	}, func(row map[string]types.AttributeValue) error {
		_, scope, err := hoursKey(row)
		if err != nil {
			return err
		}
		return w.wholeHoursIn(row, func(_ time.Time, t tally) { found.add(scope, table.TextOf(row[spelling]), t) })
	})
	return found, err
}

// byScope counts the items of a window by scope: all items, and the items of each tag.
func (d *Dashboard) byScope(ctx context.Context, w window) (*scopeTallies, error) {
	group, ctx := errgroup.WithContext(ctx)
	var first, minutes, days, edge scopeTallies
	group.Go(func() error {
		from := day(w.counted()) + "#"
		err := d.eachCounter(ctx, span{
			partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: hourPartition, from: from, to: from + atEnd,
			attributes: append(slotsFrom("h", w.counted().Hour(), 24), spelling),
		}, func(row map[string]types.AttributeValue) error { return first.addHours(w, row) })
		if err != nil {
			return err
		}
		return d.getCounters(ctx, first.cut, false, slotsFrom("m", w.counted().Minute(), 60),
			func(row map[string]types.AttributeValue) error { return minutes.addMinutes(w, row) })
	})
	group.Go(func() error {
		from := day(w.counted().AddDate(0, 0, 1)) + "#"
		if from > day(w.to)+atEnd {
			return nil
		}
		return d.eachCounter(ctx, span{
			partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: hourPartition, from: from, to: day(w.to) + atEnd,
			attributes: []string{feed.AttrIngestedAt, dayTotal, spelling},
		}, days.addDay)
	})
	group.Go(func() error {
		rows, err := d.edge(ctx, w, allItems, attrSentiment, feed.AttrMatchedTags)
		for _, row := range rows {
			edge.add(allItems, "", row.tally())
			edge.addTags(row)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := &days
	for _, part := range []scopeTallies{first, minutes, edge} { // newest first
		for scope, t := range part.tallies {
			all.add(scope, part.spellings[scope], *t)
		}
	}
	return all, nil
}

// slotsFrom returns the names of a counter's key attributes and of its slots from
// first up to, but not including, end.
func slotsFrom(unit string, first, end int) []string {
	names := []string{feed.AttrDayPartition, feed.AttrIngestedAt}
	for slot := first; slot < end; slot++ {
		names = append(names, fmt.Sprintf("%s%02d", unit, slot))
	}
	return names
}

// scopeTallies holds the tallies of all items and of each tag, by scope.
type scopeTallies struct {
	tallies   map[string]*tally
	spellings map[string]string // of tags: the first that was added
	cut       []counter         // minute counters of the window's partial first hour
}

// add adds a tally to a scope. spelling is that of its tag, or "" if it is not known.
func (e *scopeTallies) add(scope, spelling string, t tally) {
	if e.tallies == nil {
		e.tallies, e.spellings = map[string]*tally{}, map[string]string{}
	}
	if e.tallies[scope] == nil {
		e.tallies[scope] = &tally{}
	}
	if e.spellings[scope] == "" {
		e.spellings[scope] = spelling
	}
	e.tallies[scope].add(t)
}

// addTags counts a row for each of its tags.
func (e *scopeTallies) addTags(row Row) {
	seen := map[string]bool{}
	for _, tag := range row.MatchedTags {
		if scope := scopeOf(tag); !seen[scope] {
			seen[scope] = true
			e.add(scope, tag, row.tally())
		}
	}
}

// addHours counts the complete hours of the window's first day.
func (e *scopeTallies) addHours(w window, row map[string]types.AttributeValue) error {
	start, scope, err := hoursKey(row)
	if err != nil {
		return err
	}
	return inside(row, start, time.Hour, w.counted().Truncate(time.Hour), func(at time.Time, t tally) {
		if at.After(w.counted()) {
			e.add(scope, table.TextOf(row[spelling]), t)
		} else {
			e.add(scope, table.TextOf(row[spelling]), tally{}) // the minutes do not state the spelling
			e.cut = append(e.cut, minutesOf(scope, at))
		}
	})
}

// addMinutes counts the complete minutes of the window's first hour.
func (e *scopeTallies) addMinutes(w window, row map[string]types.AttributeValue) error {
	scope := strings.TrimPrefix(table.TextOf(row[feed.AttrDayPartition]), minutePartition)
	return w.minutesIn(row, func(_ time.Time, t tally) { e.add(scope, "", t) })
}

// addDay counts a complete day.
func (e *scopeTallies) addDay(row map[string]types.AttributeValue) error {
	_, scope, err := hoursKey(row)
	if err != nil {
		return err
	}
	slots, err := parseSlots(row)
	if err == nil {
		e.add(scope, table.TextOf(row[spelling]), slots[daySlot])
	}
	return err
}
