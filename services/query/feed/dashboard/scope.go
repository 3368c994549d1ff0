package dashboard

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
)

// Scope selects the items that the counters of one scope count: all items if it is zero. At most one of its fields is set.
type Scope struct{ Tag, SourceType, Source string }

// name returns the name of the scope in the keys of counters.
func (s Scope) name() string {
	switch {
	case s.SourceType != "":
		return sourcePrefix + s.SourceType
	case s.Source != "":
		return feedPrefix + s.Source
	}
	return scopeOf(s.Tag)
}

// Stretch is an hour of a scope.
type Stretch struct {
	Scope
	Hour time.Time // UTC
}

// Minutes counts the items of stretches by minute, with strong consistency. The stretches must be different and begin less than MaxHours
// ago. Minutes without items are omitted.
func (d *Dashboard) Minutes(ctx context.Context, stretches []Stretch) (map[Stretch]map[time.Time]Counts, error) {
	found := map[Stretch]map[time.Time]Counts{}
	keys, of := make([]counter, len(stretches)), map[[2]string]Stretch{}
	for i, s := range stretches {
		keys[i] = minutesOf(s.name(), s.Hour)
		of[[2]string{keys[i].partition, keys[i].sort}] = s
	}
	err := d.getCounters(ctx, keys, true, nil, func(row map[string]types.AttributeValue) error {
		stretch := of[[2]string{table.TextOf(row[feed.AttrDayPartition]), table.TextOf(row[feed.AttrIngestedAt])}]
		found[stretch] = map[time.Time]Counts{}
		return window{}.minutesIn(row, func(at time.Time, t tally) { found[stretch][at] = t.Counts })
	})
	return found, err
}

// Hours counts the items of a scope by hour, from one whole hour up to another, with strong consistency. Hours without items are
// omitted.
func (d *Dashboard) Hours(ctx context.Context, s Scope, from, to time.Time) (map[time.Time]Counts, error) {
	from, to = from.UTC(), to.UTC()
	found := map[time.Time]Counts{}
	w := window{from: from, to: to, ends: true}
	var keys []counter
	for at := from; day(at) <= day(to); at = at.AddDate(0, 0, 1) {
		keys = append(keys, hoursOf(s.name(), at))
	}
	err := d.getCounters(ctx, keys, true, nil, func(row map[string]types.AttributeValue) error {
		return w.wholeHoursIn(row, func(at time.Time, t tally) { found[at] = t.Counts })
	})
	return found, err
}

// Visit reads the rows of a scope, newest first, from one whole minute up to another, at most MaxHours ago, until visit returns
// false. It reads rows that counters count only. It returns ErrTooMany if it would read more than MaxRows rows.
func (d *Dashboard) Visit(ctx context.Context, s Scope, from, to time.Time, visit func(Row) bool) error {
	w := window{from: from.UTC(), to: to.UTC(), ends: true}
	spans := w.spans()
	if s.Tag != "" {
		spans = []span{w.tagged(s.Tag)}
	}
	budget, done := newBudget(), false
	for _, one := range spans {
		one = one.filtered(s.SourceType, "", budget)
		if s.Source != "" {
			filter := expression.Name(attrSource).Equal(expression.Value(s.Source))
			one.filter = &filter
		}
		err := d.each(ctx, one, func(row Row) bool {
			done = row.counted() && !visit(row)
			return !done
		})
		if err != nil || done {
			return err
		}
	}
	return nil
}
