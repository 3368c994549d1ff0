package feed

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

// Bucket is a stretch of a time series.
type Bucket struct {
	Start time.Time `json:"start"`
	Counts
	AverageCompound float64 `json:"averageCompound" doc:"to 4 decimals"`
}

// Series counts the items of the last hours, 1 to MaxHours, of one tag or of all,
// in buckets of UTC, the oldest first. Buckets without items are left out; the
// first and the last may be cut by the window. size is whole minutes that fill an
// hour, whole hours that fill a day, or a day.
//
// It reads the rows of the window's first minute, which is cut, and counters: in
// buckets below an hour one row for each hour, else one for each day and one more.
func (d *Dashboard) Series(ctx context.Context, hours int, size time.Duration, tag string) ([]Bucket, error) {
	return d.series(ctx, d.window(hours), size, tag)
}

func (d *Dashboard) series(ctx context.Context, w window, size time.Duration, tag string) ([]Bucket, error) {
	var rows []Row
	var counted []timed
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		rows, err = d.edge(reading, w, tag, "sentiment", "compound", ingestedAt)
		return err
	})
	group.Go(func() (err error) {
		if size < time.Hour {
			counted, err = d.minutes(reading, w, tag)
		} else {
			counted, err = d.hours(reading, w, tag)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, row := range rows {
		at, err := time.Parse(TimeLayout, row.IngestedAt())
		if err != nil {
			return nil, fmt.Errorf("the time of %s: %w", row.SourceID, err)
		}
		counted = append(counted, timed{at, row.tally()})
	}
	return bucketed(counted, size), nil
}

// timed is what is counted at a time.
type timed struct {
	at time.Time
	tally
}

func bucketed(counted []timed, size time.Duration) []Bucket {
	found := make(map[int64]tally, len(counted))
	for _, c := range counted {
		start := c.at.Truncate(size).Unix()
		t := found[start]
		t.add(c.tally)
		found[start] = t
	}
	buckets := make([]Bucket, 0, len(found))
	for start, t := range found {
		if t.items() > 0 {
			buckets = append(buckets, Bucket{
				Start: time.Unix(start, 0).UTC(), Counts: t.Counts,
				AverageCompound: math.Round(float64(t.compound)/float64(t.items())) / 1e4,
			})
		}
	}
	slices.SortFunc(buckets, func(a, b Bucket) int { return a.Start.Compare(b.Start) })
	return buckets
}

// edge reads the rows of the window's first minute, which no counter has alone.
func (d *Dashboard) edge(ctx context.Context, w window, tag string, attributes ...string) ([]Row, error) {
	s := w.spans()[len(w.days())-1]
	if tag != "" {
		s = w.tagged(tag)
	}
	s.to, s.attributes = w.counted().Format(TimeLayout), attributes
	var rows []Row
	err := d.each(ctx, s, func(row Row) bool {
		if row.Sentiment != "" {
			rows = append(rows, row)
		}
		return true
	})
	return rows, err
}

// minutes are the window's whole minutes, of the items with a tag or of all.
func (d *Dashboard) minutes(ctx context.Context, w window, tag string) ([]timed, error) {
	var counted []timed
	err := d.eachCounter(ctx, span{
		partition: dayPartition, sort: ingestedAt, in: minutePartition + of(tag),
		from: w.counted().Format(hourLayout), to: day(w.to) + atEnd,
	}, func(row map[string]types.AttributeValue) error {
		minutes, err := w.minutesIn(row)
		counted = append(counted, minutes...)
		return err
	})
	return counted, err
}

// hours are the window's first minutes, and then its whole hours.
func (d *Dashboard) hours(ctx context.Context, w window, tag string) ([]timed, error) {
	keys := []counter{minutesOf(of(tag), w.counted())}
	for at := w.counted(); day(at) <= day(w.to); at = at.AddDate(0, 0, 1) {
		keys = append(keys, hoursOf(of(tag), at))
	}
	var counted []timed
	err := d.getCounters(ctx, keys, false, nil, func(row map[string]types.AttributeValue) error {
		in := w.hoursIn
		if text(row[dayPartition]) != hourPartition {
			in = w.minutesIn
		}
		more, err := in(row)
		counted = append(counted, more...)
		return err
	})
	return counted, err
}

// counted is where counters begin to count for the window: at its second minute.
func (w window) counted() time.Time { return w.from.Truncate(time.Minute).Add(time.Minute) }

// minutesIn are the window's whole minutes in a counter's row.
func (w window) minutesIn(row map[string]types.AttributeValue) ([]timed, error) {
	hour, err := time.Parse(hourLayout, text(row[ingestedAt]))
	if err != nil {
		return nil, fmt.Errorf("the key of a counter: %w", err)
	}
	return inside(row, hour, time.Minute, w.counted())
}

// hoursIn are the window's whole hours in a counter's row, but for its first.
func (w window) hoursIn(row map[string]types.AttributeValue) ([]timed, error) {
	start, _, err := hoursKey(row)
	if err != nil {
		return nil, err
	}
	return inside(row, start, time.Hour, w.counted().Truncate(time.Hour).Add(time.Hour))
}

// hoursKey is what a counter of hours counts: which day, and of whom.
func hoursKey(row map[string]types.AttributeValue) (start time.Time, who string, err error) {
	sort := text(row[ingestedAt])
	start, err = time.Parse(time.DateOnly, sort[:min(len(sort), len(time.DateOnly))])
	if err != nil || len(sort) == len(time.DateOnly) {
		return start, "", fmt.Errorf("a counter has the key %q", sort)
	}
	return start, sort[len(time.DateOnly)+1:], nil
}

// inside are the slots of a row that begins at start which are not before from.
func inside(row map[string]types.AttributeValue, start time.Time, width time.Duration, from time.Time) ([]timed, error) {
	slots, err := parseSlots(row)
	if err != nil {
		return nil, err
	}
	var counted []timed
	for i, t := range slots[:whole] {
		if at := start.Add(time.Duration(i) * width); t != (tally{}) && !at.Before(from) {
			counted = append(counted, timed{at, t})
		}
	}
	return counted, nil
}

func text(value types.AttributeValue) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
