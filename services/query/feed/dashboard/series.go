package dashboard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
)

// Bucket is an interval of a time series.
type Bucket struct {
	Start time.Time `json:"start"`
	Counts
	AverageCompound float64 `json:"averageCompound" doc:"to 4 decimals"`
}

// Series counts the items of a query in buckets aligned to UTC, oldest first. Buckets
// without items are omitted. The first and the last bucket may extend beyond the window.
// size is a number of minutes that divides an hour, a number of hours that divides a day,
// or a day. Series can return ErrWindow, ErrTooMany and ErrExpired.
//
// It reads the items of the window's first minute, which is partial, and counters: one row per hour
// for buckets shorter than an hour and for windows with an end, otherwise one per day plus one. With a
// sentiment, or with both a tag and a source type, it reads all items.
func (d *Dashboard) Series(ctx context.Context, q Query, size time.Duration) ([]Bucket, error) {
	w, err := d.window(q)
	if err != nil {
		return nil, err
	}
	if scope, ok := q.counter(); ok && q.Sentiment == "" {
		counted, err := d.timeline(ctx, w, scope, size)
		return counted.buckets(), err
	}
	var failed error
	counted := newTimeline(w, size)
	err = d.rows(ctx, w, q, func(row Row) {
		if err := counted.addRow(row); err != nil {
			failed = err
		}
	}, attrSentiment, "compound", feed.AttrIngestedAt)
	return counted.buckets(), errors.Join(err, failed)
}

// timeline counts the items of a scope by time.
func (d *Dashboard) timeline(ctx context.Context, w window, scope string, size time.Duration) (*timeline, error) {
	var rows []Row
	counted := newTimeline(w, size)
	if w.expired {
		return counted, d.wholeHours(ctx, w, scope, counted.add)
	}
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		rows, err = d.edge(reading, w, scope, attrSentiment, "compound", feed.AttrIngestedAt)
		return err
	})
	group.Go(func() error {
		if size < time.Hour || w.ends {
			return d.minutes(reading, w, scope, counted.add)
		}
		return d.hours(reading, w, scope, counted.add)
	})
	if err := group.Wait(); err != nil {
		return counted, err
	}
	for _, row := range rows {
		if err := counted.addRow(row); err != nil {
			return counted, err
		}
	}
	return counted, nil
}

// timeline holds the tallies of consecutive buckets, starting with the window's first.
type timeline struct {
	first   time.Time
	size    time.Duration
	tallies []tally
}

func newTimeline(w window, size time.Duration) *timeline {
	first := w.from.Truncate(size)
	return &timeline{first, size, make([]tally, w.to.Sub(first)/size+1)}
}

func (l *timeline) add(at time.Time, t tally) {
	i := int(at.Sub(l.first) / l.size)
	if more := i + 1 - len(l.tallies); more > 0 {
		l.tallies = append(l.tallies, make([]tally, more)...)
	}
	l.tallies[i].add(t)
}

func (l *timeline) addRow(row Row) error {
	at, err := time.Parse(feed.TimeLayout, row.IngestedAt())
	if err != nil {
		return fmt.Errorf("parse the ingestion time of %s: %w", row.SourceID, err)
	}
	l.add(at, row.tally())
	return nil
}

// buckets returns the buckets that contain items.
func (l *timeline) buckets() []Bucket {
	buckets := make([]Bucket, 0, len(l.tallies))
	for i, t := range l.tallies {
		if t.items() > 0 {
			buckets = append(buckets, Bucket{
				Start: l.first.Add(time.Duration(i) * l.size), Counts: t.Counts,
				AverageCompound: math.Round(float64(t.compound)/float64(t.items())) / 1e4,
			})
		}
	}
	return buckets
}

// edge reads the items of the window's first minute, which is partial, so counters
// cannot be used for it.
func (d *Dashboard) edge(ctx context.Context, w window, scope string, attributes ...string) ([]Row, error) {
	s := w.spans()[len(w.days())-1]
	if tag, tagged := strings.CutPrefix(scope, tagPrefix); tagged {
		s = w.tagged(tag)
	}
	if source, of := strings.CutPrefix(scope, sourcePrefix); of {
		s = s.filtered(source, "", nil)
	}
	s.to, s.attributes = w.counted().Format(feed.TimeLayout), append(attributes, attrArchive)
	var rows []Row
	err := d.each(ctx, s, func(row Row) bool {
		if row.counted() {
			rows = append(rows, row)
		}
		return true
	})
	return rows, err
}

// minutes visits the tallies of a scope in the window's complete minutes.
func (d *Dashboard) minutes(ctx context.Context, w window, scope string, visit func(time.Time, tally)) error {
	return d.eachCounter(ctx, span{
		partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: minutePartition + scope,
		from: w.counted().Format(hourLayout), to: day(w.to) + atEnd,
	}, func(row map[string]types.AttributeValue) error { return w.minutesIn(row, visit) })
}

// hours visits the tallies of a scope in the minutes of the window's first hour, and in the
// window's complete hours.
func (d *Dashboard) hours(ctx context.Context, w window, scope string, visit func(time.Time, tally)) error {
	keys := []counter{minutesOf(scope, w.counted())}
	for at := w.counted(); day(at) <= day(w.to); at = at.AddDate(0, 0, 1) {
		keys = append(keys, hoursOf(scope, at))
	}
	return d.getCounters(ctx, keys, false, nil, func(row map[string]types.AttributeValue) error {
		if table.TextOf(row[feed.AttrDayPartition]) == hourPartition {
			return w.hoursIn(row, visit)
		}
		return w.minutesIn(row, visit)
	})
}

// wholeHours visits the tallies of a scope in a window of whole hours.
func (d *Dashboard) wholeHours(ctx context.Context, w window, scope string, visit func(time.Time, tally)) error {
	var keys []counter
	for at := w.from; day(at) <= day(w.to); at = at.AddDate(0, 0, 1) {
		keys = append(keys, hoursOf(scope, at))
	}
	return d.getCounters(ctx, keys, false, nil, func(row map[string]types.AttributeValue) error { return w.wholeHoursIn(row, visit) })
}

// wholeHoursIn visits the hours of a counter row that are in a window of whole hours.
func (w window) wholeHoursIn(row map[string]types.AttributeValue, visit func(time.Time, tally)) error {
	start, _, err := hoursKey(row)
	if err != nil {
		return err
	}
	return inside(row, start, time.Hour, w.from, func(at time.Time, t tally) {
		if !w.ends || at.Before(w.to) {
			visit(at, t)
		}
	})
}

// counted returns the time from which counters are used: the window's second minute.
func (w window) counted() time.Time { return w.from.Truncate(time.Minute).Add(time.Minute) }

// minutesIn visits the window's complete minutes in a counter row.
func (w window) minutesIn(row map[string]types.AttributeValue, visit func(time.Time, tally)) error {
	hour, err := time.Parse(hourLayout, table.TextOf(row[feed.AttrIngestedAt]))
	if err != nil {
		return fmt.Errorf("parse the key of a counter: %w", err)
	}
	return inside(row, hour, time.Minute, w.counted(), func(at time.Time, t tally) {
		if !w.ends || at.Before(w.to) {
			visit(at, t)
		}
	})
}

// hoursIn visits the window's complete hours in a counter row, except the window's first hour.
func (w window) hoursIn(row map[string]types.AttributeValue, visit func(time.Time, tally)) error {
	start, _, err := hoursKey(row)
	if err != nil {
		return err
	}
	return inside(row, start, time.Hour, w.counted().Truncate(time.Hour).Add(time.Hour), visit)
}

// hoursKey parses the key of an hour counter: its day and its scope.
func hoursKey(row map[string]types.AttributeValue) (start time.Time, scope string, err error) {
	sort := table.TextOf(row[feed.AttrIngestedAt])
	start, err = time.Parse(time.DateOnly, sort[:min(len(sort), len(time.DateOnly))])
	if err != nil || len(sort) == len(time.DateOnly) {
		return start, "", fmt.Errorf("a counter has the invalid key %q", sort)
	}
	return start, sort[len(time.DateOnly)+1:], nil
}

// inside visits the nonempty slots of a counter row that do not begin before from. The first slot
// begins at start, and each has the given width.
func inside(row map[string]types.AttributeValue, start time.Time, width time.Duration, from time.Time, visit func(time.Time, tally)) error {
	slots, err := parseSlots(row)
	if err != nil {
		return err
	}
	for i, t := range slots[:daySlot] {
		if at := start.Add(time.Duration(i) * width); t != (tally{}) && !at.Before(from) {
			visit(at, t)
		}
	}
	return nil
}
