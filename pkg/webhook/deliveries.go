package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

// ErrMoved means that a delivery was changed since it was read: another program has attempted it, or it was deleted.
var ErrMoved = errors.New("the delivery has changed since it was read")

// Deliveries stores deliveries. It is safe for concurrent use.
type Deliveries struct {
	db    *dynamodb.Client
	table string
	now   func() time.Time
}

// NewDeliveries returns the deliveries in the table.
func NewDeliveries(db *dynamodb.Client, cfg platform.Config) *Deliveries {
	return &Deliveries{db: db, table: cfg.Table, now: time.Now}
}

// New is a delivery to add. It is dead from the beginning if the endpoint is disabled.
type New struct {
	Delivery
	Disabled bool
}

// Add stores deliveries of an event that are due now, except those that exist already. Several programs may call it.
func (s *Deliveries) Add(ctx context.Context, all ...New) error {
	var writes []types.TransactWriteItem
	for _, n := range all {
		d := n.Delivery
		d.Version, d.Status, d.NextAt, d.ExpiresAt = 1, StatusPending, s.now().UnixMilli(), time.UnixMilli(d.OccurredAt).Add(Keep).Unix()
		if n.Disabled {
			d.Status, d.NextAt = StatusDead, 0
		}
		item, err := s.item(d)
		if err != nil {
			return err
		}
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK)")}})
		if !n.Disabled {
			writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.table, Item: pendingRow(d)}})
		}
	}
	if len(writes) == 0 {
		return nil
	}
	_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	switch {
	case err == nil:
		return nil
	case !table.CanceledFor(err, "ConditionalCheckFailed"):
		return fmt.Errorf("add deliveries of %s: %w", all[0].EventID, err)
	case len(all) == 1:
		return nil // an earlier call has added it
	}
	for _, n := range all {
		if err := s.Add(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// item returns the row of a delivery.
func (s *Deliveries) item(d Delivery) (table.Key, error) {
	item, err := attributevalue.MarshalMap(d)
	if err != nil {
		return nil, fmt.Errorf("write a delivery of %s: %w", d.EventID, err)
	}
	for name, value := range logRow(d) {
		item[name] = value
	}
	return item, nil
}

func logRow(d Delivery) table.Key {
	return platform.Key(platform.Deliveries+d.EndpointID, logKey(d.OccurredAt, d.EventID))
}

// pendingRow returns the row of a pending delivery, which has no other attributes than its expiry.
func pendingRow(d Delivery) table.Key {
	row := platform.Key(platform.Pending+ShardName(Shard(d.EndpointID)), pendingKey(d))
	row[platform.ExpiresAt] = table.Integer(d.ExpiresAt)
	return row
}

// scan is the number of rows that a request reads while it looks for endpoints.
const scan = 64

// Waiting calls found for each endpoint of a shard that has pending deliveries, with the time of the next attempt. It may be
// late by a second.
func (s *Deliveries) Waiting(ctx context.Context, shard int, found func(endpointID string, next time.Time)) error {
	for after := ""; ; {
		all, err := s.pending(ctx, shard, after, "~", scan, false) // ids of endpoints are UUIDs
		if err != nil {
			return err
		}
		last := ""
		for _, p := range all {
			if p.EndpointID != last {
				last = p.EndpointID
				found(last, time.UnixMilli(p.NextAt))
			}
		}
		if len(all) < scan {
			return nil
		}
		after = last + "#~" // the next endpoint
	}
}

// Due returns at most limit deliveries of an endpoint that are due, the longest due first. They may have been settled since.
func (s *Deliveries) Due(ctx context.Context, endpointID string, limit int32) ([]Pending, error) {
	return s.pending(ctx, Shard(endpointID), endpointID+"#", endpointID+"#"+stampOf(s.now().UnixMilli()+1), limit, true)
}

// pending returns pending deliveries whose keys are between two texts.
func (s *Deliveries) pending(ctx context.Context, shard int, after, before string, limit int32, consistent bool) ([]Pending, error) {
	out, err := s.db.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: &consistent, Limit: &limit,
		KeyConditionExpression: aws.String("PK = :shard AND SK BETWEEN :after AND :before"),
		ExpressionAttributeValues: table.Key{
			":shard": table.Text(platform.Pending + ShardName(shard)), ":after": table.Text(after + " "), ":before": table.Text(before),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("list the pending deliveries of shard %d: %w", shard, err)
	}
	all := make([]Pending, len(out.Items))
	for i, row := range out.Items {
		if all[i], err = parsePending(table.TextOf(row[platform.SortKey])); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Read reads pending deliveries, in their order, with strongly consistent reads. Those that are no longer pending are removed
// from the list.
func (s *Deliveries) Read(ctx context.Context, all []Pending) ([]Delivery, error) {
	found := map[string]Delivery{}
	keys := make([]table.Key, len(all))
	for i, p := range all {
		keys[i] = logRow(Delivery{EndpointID: p.EndpointID, OccurredAt: p.OccurredAt, EventID: p.EventID})
	}
	err := table.GetAll(ctx, s.db, table.Get{Table: s.table, Keys: keys, Consistent: true}, func(item map[string]table.Value) error {
		var d Delivery
		err := attributevalue.UnmarshalMap(item, &d)
		found[d.EventID] = d
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	var pending []Delivery
	for _, p := range all {
		if d, exists := found[p.EventID]; exists && d.Status == StatusPending && d.NextAt == p.NextAt {
			pending = append(pending, d)
			continue
		}
		_, err = s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &s.table, Key: platform.Key(platform.Pending+ShardName(Shard(p.EndpointID)), p.key),
		})
		if err != nil {
			return nil, fmt.Errorf("remove a delivery that is not pending: %w", err)
		}
	}
	return pending, nil
}

// Get reads a delivery with a strongly consistent read. It returns platform.ErrNotFound if there is none.
func (s *Deliveries) Get(ctx context.Context, endpointID string, occurredAt int64, eventID string) (Delivery, error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: platform.Key(platform.Deliveries+endpointID, logKey(occurredAt, eventID)), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("read a delivery of %s: %w", eventID, err)
	}
	if out.Item == nil {
		return Delivery{}, fmt.Errorf("read a delivery of %s: %w", eventID, platform.ErrNotFound)
	}
	var d Delivery
	return d, attributevalue.UnmarshalMap(out.Item, &d)
}

// Attempted stores an attempt and what follows: the delivery is delivered, dead, or pending until next. It returns ErrMoved if
// the delivery has changed since it was read.
func (s *Deliveries) Attempted(ctx context.Context, d Delivery, a Attempt, status Status, next time.Time) error {
	after := d
	after.Status, after.NextAt = status, 0
	if status != StatusDelivered {
		after.Failed++
	}
	if status == StatusPending {
		after.NextAt = max(next.UnixMilli(), d.NextAt+1)
	}
	after.Attempts = append(d.Attempts[:len(d.Attempts):len(d.Attempts)], a)
	after.Attempts = after.Attempts[max(0, len(after.Attempts)-MaxAttempts):]
	return s.replace(ctx, d, after)
}

// Stop makes a delivery dead without an attempt. It returns ErrMoved like Attempted.
func (s *Deliveries) Stop(ctx context.Context, d Delivery) error {
	after := d
	after.Status, after.NextAt = StatusDead, 0
	return s.replace(ctx, d, after)
}

// Again makes a delivery due now, with a new schedule. It returns ErrMoved like Attempted.
func (s *Deliveries) Again(ctx context.Context, d Delivery) error {
	after := d
	after.Status, after.NextAt, after.Failed = StatusPending, s.now().UnixMilli(), 0
	if after.NextAt == d.NextAt {
		after.NextAt++ // its row needs another key
	}
	return s.replace(ctx, d, after)
}

// replace replaces a delivery that was read.
func (s *Deliveries) replace(ctx context.Context, before, after Delivery) error {
	after.Version++
	item, err := s.item(after)
	if err != nil {
		return err
	}
	writes := []types.TransactWriteItem{{Put: &types.Put{
		TableName: &s.table, Item: item, ConditionExpression: aws.String("version = :seen"),
		ExpressionAttributeValues: table.Key{":seen": table.Integer(before.Version)},
	}}}
	if before.Status == StatusPending {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{
			TableName: &s.table, Key: platform.Key(platform.Pending+ShardName(Shard(before.EndpointID)), pendingKey(before)),
		}})
	}
	if after.Status == StatusPending {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.table, Item: pendingRow(after)}})
	}
	_, err = s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if table.CanceledFor(err, "ConditionalCheckFailed") {
		return ErrMoved
	}
	if err != nil {
		return fmt.Errorf("write a delivery of %s: %w", after.EventID, err)
	}
	return nil
}
