package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// MaxHours is the longest window of a read: as long as rows are kept. So no row
// of a window has expired, and reads need no filter besides the window's start.
const MaxHours = 168

// span is a range of sort keys in one partition of the table or an index, both
// ends included.
type span struct {
	index           string // empty for the table
	partition, sort string // names of the keys
	in, from, to    string
	since, tag      string   // filters, where they are not empty: by ingested_at, by matched_tags
	attributes      []string // to read; all when empty
	pageSize        int32    // rows of one read; 0 reads 1 MB
}

// atEnd sorts behind every sort key that begins with an ISO time.
const atEnd = "~"

// each reads a span, highest sort key first, until see returns false.
func (d *Dashboard) each(ctx context.Context, s span, see func(Row) bool) error {
	builder := expression.NewBuilder().WithKeyCondition(
		expression.KeyEqual(expression.Key(s.partition), expression.Value(s.in)).
			And(expression.KeyBetween(expression.Key(s.sort), expression.Value(s.from), expression.Value(s.to))))
	if s.since != "" {
		filter := expression.Name(ingestedAt).GreaterThanEqual(expression.Value(s.since))
		if s.tag != "" {
			filter = filter.And(expression.Contains(expression.Name(matchedTags), s.tag))
		}
		builder = builder.WithFilter(filter)
	}
	if len(s.attributes) > 0 {
		var names expression.ProjectionBuilder
		for _, name := range s.attributes {
			names = expression.AddNames(names, expression.Name(name))
		}
		builder = builder.WithProjection(names)
	}
	expr, err := builder.Build()
	if err != nil {
		return fmt.Errorf("read the dashboard: %w", err)
	}
	in := &dynamodb.QueryInput{
		TableName: &d.table, ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: expr.KeyCondition(), FilterExpression: expr.Filter(), ProjectionExpression: expr.Projection(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}
	if s.index != "" {
		in.IndexName = &s.index
	}
	if s.pageSize > 0 {
		in.Limit = &s.pageSize
	}
	for {
		out, err := d.db.Query(ctx, in)
		if err != nil {
			return fmt.Errorf("read the dashboard: %w", err)
		}
		var rows []Row
		if err := attributevalue.UnmarshalListOfMaps(out.Items, &rows); err != nil {
			return fmt.Errorf("read the dashboard: %w", err)
		}
		for _, row := range rows {
			if !see(row) {
				return nil
			}
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// window is a stretch of time that ends a little after now, since items may be a
// little ahead.
type window struct{ from, to time.Time }

func (d *Dashboard) window(hours int) window {
	now := d.now().UTC()
	return window{now.Add(-time.Duration(hours) * time.Hour), now.Add(ClockSkew)}
}

// since is the first sort key in the window.
func (w window) since() string { return w.from.Format(TimeLayout) }

// days are the partitions that the window touches, the newest first.
func (w window) days() []string {
	var days []string
	for at := w.to; day(at) >= day(w.from); at = at.AddDate(0, 0, -1) {
		days = append(days, day(at))
	}
	return days
}

// spans are the window's parts of the base rows, the newest day first.
func (w window) spans() []span {
	var spans []span
	for _, day := range w.days() {
		spans = append(spans, span{partition: dayPartition, sort: ingestedAt, in: day, from: w.since(), to: atEnd})
	}
	return spans
}

// tagged is the window's part of a tag's rows.
func (w window) tagged(tag string) span {
	return span{index: byTag, partition: tagName, sort: ingestedAt, in: tag, from: w.since(), to: atEnd}
}
