package quota

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

// The following functions are for the sweeps of the analyzer. The sweeps do not know the limits, and count the items
// of every owner to whom a quota on stored data has ever applied.

// ID identifies an item of an area.
type ID struct{ Owner, ID string }

// Owners returns the owners whose items are counted.
func (q *Quotas) Owners(ctx context.Context) (map[string]bool, error) {
	list, err := q.documents.List(ctx, platform.QuotaOwners)
	all := make(map[string]bool, len(list))
	for _, d := range list {
		all[d.Name] = true
	}
	return all, err
}

// NextOwner returns the first counted owner that sorts after the given one, or "" if there is none.
func (q *Quotas) NextOwner(ctx context.Context, after string) (string, error) {
	return q.documents.Next(ctx, platform.QuotaOwners, after)
}

// Holdings reads a page of the holdings of an owner in an area. after is the id of the last holding of the
// previous page, or empty for the first page.
func (q *Quotas) Holdings(ctx context.Context, owner, area, after string, limit int32) (page []Holding, more bool, err error) {
	in := &dynamodb.QueryInput{
		TableName: &q.rows.table, ConsistentRead: aws.Bool(true), Limit: &limit,
		KeyConditionExpression:    aws.String("PK = :partition AND begins_with(SK, :area)"),
		ExpressionAttributeValues: table.Key{":partition": table.Text(partition(owner)), ":area": table.Text(area + "#")},
	}
	if after != "" {
		in.ExclusiveStartKey = holdingKey(owner, area, after)
	}
	out, err := q.rows.db.Query(ctx, in)
	if err != nil {
		return nil, false, wrap("list the usage of an owner", err)
	}
	for _, row := range out.Items {
		h, err := parse(row)
		if err != nil {
			return nil, false, err
		}
		page = append(page, h)
	}
	return page, out.LastEvaluatedKey != nil, nil
}

// Counted returns the holdings of the given distinct items of an area. Items without a holding are omitted.
func (q *Quotas) Counted(ctx context.Context, area string, items []ID) (map[ID]Holding, error) {
	keys := make([]table.Key, len(items))
	for i, item := range items {
		keys[i] = holdingKey(item.Owner, area, item.ID)
	}
	found := map[ID]Holding{}
	err := table.GetAll(ctx, q.rows.db, table.Get{Table: q.rows.table, Keys: keys, Consistent: true}, func(row table.Key) error {
		h, err := parse(row)
		found[ID{table.TextOf(row[platform.PartitionKey])[len(platform.Quota):], h.ID}] = h
		return err
	})
	return found, err
}

// Count counts an item of an owner regardless of limits, or corrects its counted bytes.
func (q *Quotas) Count(ctx context.Context, owner string, item Item) error {
	made, err := q.rows.reserve(ctx, owner, Limits{}, []Item{item})
	if _, over := errors.AsType[*ExceededError](err); over {
		return fmt.Errorf("quota: rejected without a limit: %w", err) // a bug
	}
	if err != nil || len(made) > 0 || item.Bytes < 0 {
		return err
	}
	return q.rows.change(ctx, owner, item.Area, item.ID, func(h Holding) *Holding { h.Bytes = item.Bytes; return &h })
}
