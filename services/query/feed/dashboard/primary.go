package dashboard

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
)

// primary reads the primary table for a rebuild.
type primary struct {
	db    *dynamodb.Client
	table string
}

// segment reads one of total segments of the table with strong consistency. It calls visit for each
// page with its items and the number of items that cannot be parsed.
func (p primary) segment(ctx context.Context, segment, total int32, visit func(items []feed.Item, unreadable int) error) error {
	in := &dynamodb.ScanInput{TableName: &p.table, ConsistentRead: aws.Bool(true), Segment: &segment, TotalSegments: &total}
	for {
		out, err := p.db.Scan(ctx, in)
		if err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		items := make([]feed.Item, 0, len(out.Items))
		for _, attributes := range out.Items {
			if item, err := feed.Parse(attributes); err == nil {
				items = append(items, item)
			}
		}
		if err := visit(items, len(out.Items)-len(items)); err != nil {
			return err
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// itemKey is the key of an item.
type itemKey struct{ sourceID, ingestedAt string }

func (k itemKey) attributes() table.Key { return feed.Key(k.sourceID, k.ingestedAt) }

// getAll reads the items with the given keys, which must be distinct, with strong consistency, and
// calls visit for each, in no particular order. It skips items that do not exist or cannot be parsed.
func (p primary) getAll(ctx context.Context, keys []itemKey, visit func(feed.Item) error) error {
	all := make([]table.Key, len(keys))
	for i, key := range keys {
		all[i] = key.attributes()
	}
	return table.GetAll(ctx, p.db, table.Get{Table: p.table, Keys: all, Consistent: true}, func(attributes map[string]types.AttributeValue) error {
		item, err := feed.Parse(attributes)
		if err != nil {
			return nil
		}
		return visit(item)
	})
}

// lookup is the result of reading one key of the table.
type lookup struct {
	item feed.Item // zero if there is no item, or if it cannot be parsed
	// unchanged is a condition check that fails a transaction if the item has changed since
	// it was read. It is empty if the item cannot be parsed.
	unchanged []types.TransactWriteItem
}

// analyzed reports whether there is an item with a result.
func (l lookup) analyzed() bool { return l.item.Scored() }

// lookup reads the item with the given key with strong consistency.
func (p primary) lookup(ctx context.Context, key itemKey) (lookup, error) {
	out, err := p.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &p.table, Key: key.attributes(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return lookup{}, fmt.Errorf("get %s: %w", key.sourceID, err)
	}
	var item feed.Item
	still := expression.Name(feed.AttrSourceID).AttributeNotExists()
	if out.Item != nil {
		if item, err = feed.Parse(out.Item); err != nil {
			return lookup{}, nil // unreadable: it cannot be checked
		}
		still = expression.Name(feed.AttrStatus).Equal(expression.Value(string(item.Status))).
			And(expression.Name(feed.AttrMatchedTags).Equal(expression.Value(&types.AttributeValueMemberSS{Value: item.MatchedTags})))
		if item.AnalyzedAt != "" {
			still = still.And(expression.Name("analyzed_at").Equal(expression.Value(item.AnalyzedAt)))
		}
	}
	expr, err := expression.NewBuilder().WithCondition(still).Build()
	if err != nil {
		return lookup{}, fmt.Errorf("get %s: %w", key.sourceID, err)
	}
	return lookup{item, []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
		TableName: &p.table, Key: key.attributes(), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}}}, nil
}
