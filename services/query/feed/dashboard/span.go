package dashboard

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"

	"github.com/assay-project/assay/pkg/feed"
)

// MaxHours is the maximum length of a window in hours. It equals the retention of rows: no row in a
// window has expired, so reads do not filter by expiry.
const MaxHours = 168

// span is a range of sort keys, including both ends, in one partition of the table
// or an index.
type span struct {
	index           string // empty for the table
	partition, sort string // names of the keys
	in, from, to    string
	filter          *expression.ConditionBuilder
	attributes      []string      // to read; empty reads all
	pageSize        int32         // rows per request; 0 reads 1 MB
	consistent      bool          // not supported by an index
	budget          *atomic.Int64 // rows that may still be read; nil does not limit them
}

// atEnd sorts after every sort key that begins with an ISO time.
const atEnd = "~"

// each reads the rows of items in a span, highest sort key first, until visit
// returns false.
func (d *Dashboard) each(ctx context.Context, s span, visit func(Row) bool) error {
	return d.pages(ctx, s, func(page []map[string]types.AttributeValue) (more bool, err error) {
		var rows []Row
		if err := attributevalue.UnmarshalListOfMaps(page, &rows); err != nil {
			return false, fmt.Errorf("read the dashboard: %w", err)
		}
		for _, row := range rows {
			if !visit(row) {
				return false, nil
			}
		}
		return true, nil
	})
}

// eachCounter reads the counters in a span.
func (d *Dashboard) eachCounter(ctx context.Context, s span, visit func(map[string]types.AttributeValue) error) error {
	return d.pages(ctx, s, func(page []map[string]types.AttributeValue) (more bool, err error) {
		for _, row := range page {
			if err := visit(row); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// pages reads a span, highest sort key first, until visit returns false or an error.
func (d *Dashboard) pages(ctx context.Context, s span, visit func([]map[string]types.AttributeValue) (bool, error)) error {
	in, err := d.query(s)
	if err != nil {
		return fmt.Errorf("read the dashboard: %w", err)
	}
	for {
		out, err := d.reader(s.consistent).Query(ctx, in)
		if err != nil {
			return fmt.Errorf("read the dashboard: %w", err)
		}
		if s.budget != nil && s.budget.Add(-int64(out.ScannedCount)) < 0 {
			return ErrTooMany
		}
		if more, err := visit(out.Items); err != nil || !more {
			return err
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

func (d *Dashboard) query(s span) (*dynamodb.QueryInput, error) {
	builder := expression.NewBuilder().WithKeyCondition(
		expression.KeyEqual(expression.Key(s.partition), expression.Value(s.in)).
			And(expression.KeyBetween(expression.Key(s.sort), expression.Value(s.from), expression.Value(s.to))))
	if s.filter != nil {
		builder = builder.WithFilter(*s.filter)
	}
	if len(s.attributes) > 0 {
		builder = builder.WithProjection(table.Projection(s.attributes))
	}
	expr, err := builder.Build()
	if err != nil {
		return nil, err
	}
	in := &dynamodb.QueryInput{
		TableName: &d.table, ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: expr.KeyCondition(), FilterExpression: expr.Filter(), ProjectionExpression: expr.Projection(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}
	if s.index != "" {
		in.IndexName = &s.index
	}
	if s.consistent {
		in.ConsistentRead = &s.consistent
	}
	if s.pageSize > 0 {
		in.Limit = &s.pageSize
	}
	return in, nil
}

// get reads the rows with these keys, which must be distinct, in no particular order.
func (d *Dashboard) get(ctx context.Context, keys []table.Key, visit func(Row)) error {
	return table.GetAll(ctx, d.db, table.Get{Table: d.table, Keys: keys, Consistent: true}, func(attributes map[string]types.AttributeValue) error {
		var row Row
		if err := attributevalue.UnmarshalMap(attributes, &row); err != nil {
			return fmt.Errorf("read the dashboard: %w", err)
		}
		visit(row)
		return nil
	})
}

// getCounters reads those of the counters that exist, with the given attributes, or with all
// attributes if none are given.
func (d *Dashboard) getCounters(ctx context.Context, counters []counter, consistent bool, attributes []string, visit func(map[string]types.AttributeValue) error) error {
	keys := make([]table.Key, len(counters))
	for i, c := range counters {
		keys[i] = c.key()
	}
	return table.GetAll(ctx, d.reader(consistent), table.Get{Table: d.table, Keys: keys, Consistent: consistent, Attributes: attributes}, visit)
}

// window is a time interval. Without an end, it contains all items since from: to is shortly after
// now, because the clock that sets an item's time may be ahead.
type window struct {
	from, now, to time.Time
	ends          bool // to is exclusive, and from and to are whole minutes
	expired       bool // some rows have expired, and only the counters of hours remain; from and to are whole hours
}

func since(now time.Time, hours int) window {
	return window{from: now.Add(-time.Duration(hours) * time.Hour), now: now, to: now.Add(feed.ClockSkew)}
}

// last returns an upper bound of the sort keys in the window.
func (w window) last() string {
	if w.ends {
		return w.to.Format(feed.TimeLayout) // keys continue with # and the id, so keys with this time sort after it
	}
	return atEnd
}

// since returns a lower bound of the sort keys in the window.
func (w window) since() string { return w.from.Format(feed.TimeLayout) }

// days returns the day partitions that the window touches, newest first.
func (w window) days() []string {
	var days []string
	for at := w.to; day(at) >= day(w.from); at = at.AddDate(0, 0, -1) {
		days = append(days, day(at))
	}
	return days
}

// spans returns the spans of the window's base rows, one for each day, newest first.
func (w window) spans() []span {
	var spans []span
	for _, day := range w.days() {
		spans = append(spans, span{partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: day, from: w.since(), to: w.last()})
	}
	return spans
}

// tagged returns the span of the window's tag rows of one tag.
func (w window) tagged(tag string) span {
	return span{index: feed.IndexByTag, partition: feed.AttrTag, sort: feed.AttrIngestedAt, in: feed.FoldTag(tag), from: w.since(), to: w.last()}
}
