package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

// List lists deliveries to an endpoint, those of the newest events first: only those with a status, unless it is empty. cursor is
// next of the previous page. It returns table.ErrCursor if the cursor belongs to another list.
func (s *Deliveries) List(ctx context.Context, endpointID string, status Status, limit int32, cursor string) (all []Delivery, next string, err error) {
	log := table.Partition{
		Table: s.table, Hash: platform.PartitionKey, Value: platform.Deliveries + endpointID, Keys: []string{platform.PartitionKey, platform.SortKey},
	}
	if status != "" {
		only := expression.Name("status").Equal(expression.Value(status))
		log.Filter, log.Sparse = &only, true
	}
	items, next, err := log.Page(ctx, s.db, limit, cursor)
	if err != nil {
		return nil, "", err
	}
	all, err = parse(items)
	return all, next, err
}

// parse reads the deliveries in rows, except for those that have expired.
func parse(items []table.Key) ([]Delivery, error) {
	var all []Delivery
	if err := attributevalue.UnmarshalListOfMaps(items, &all); err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	kept := all[:0]
	for _, d := range all {
		if time.Now().Unix() < d.ExpiresAt {
			kept = append(kept, d)
		}
	}
	return kept, nil
}

// Find reads the delivery of an event to an endpoint, by the id of the event or of the message. It returns platform.ErrNotFound
// if there is none.
func (s *Deliveries) Find(ctx context.Context, endpointID, id string) (Delivery, error) {
	none := fmt.Errorf("find a delivery: %w", platform.ErrNotFound)
	at, ok := timeOf(id)
	if !ok {
		return Delivery{}, none
	}
	same, _, err := s.Since(ctx, endpointID, Part{After: stampOf(at) + "#", Before: stampOf(at) + "#~"}, findLimit)
	for _, d := range same {
		if d.EventID == id || MessageID(d.EventID) == id {
			return d, err
		}
	}
	if err == nil {
		err = none
	}
	return Delivery{}, err
}

// findLimit is the maximum number of events of one millisecond among which Find looks.
const findLimit = 1000

// Part is a part of the log of an endpoint: the deliveries of events after one, and before another.
type Part struct{ After, Before string }

// From returns the part of the log with events at or after a time, and before another; a zero time is no limit.
func From(from, until time.Time) Part {
	p := Part{Before: "~"}
	if !from.IsZero() {
		p.After = stampOf(from.UnixMilli())
	}
	if !until.IsZero() {
		p.Before = stampOf(until.UnixMilli())
	}
	return p
}

// AfterEvent returns the part after the event of a delivery.
func (p Part) AfterEvent(d Delivery) Part {
	p.After = logKey(d.OccurredAt, d.EventID)
	return p
}

// Since lists at most limit deliveries of a part of the log, those of the oldest events first. more is false if there are no
// others.
func (s *Deliveries) Since(ctx context.Context, endpointID string, part Part, limit int32) (all []Delivery, more bool, err error) {
	out, err := s.db.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: &limit,
		KeyConditionExpression: aws.String("PK = :log AND SK BETWEEN :after AND :before"),
		ExpressionAttributeValues: table.Key{
			":log": table.Text(platform.Deliveries + endpointID), ":after": table.Text(part.After + " "), ":before": table.Text(part.Before),
		},
	})
	if err != nil {
		return nil, false, fmt.Errorf("list the deliveries to %s: %w", endpointID, err)
	}
	if err := attributevalue.UnmarshalListOfMaps(out.Items, &all); err != nil {
		return nil, false, fmt.Errorf("list the deliveries to %s: %w", endpointID, err)
	}
	return all, out.LastEvaluatedKey != nil, nil
}
