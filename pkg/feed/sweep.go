package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// ScanLimit is the most items that a page of Scan may have.
const ScanLimit = 100

// Scanned is a page of the whole primary table, in any order and eventually consistent: use it only
// as a hint.
type Scanned struct {
	Items  []Item
	Double []string // source ids with more than one row; Items has the first of them
	Broken []Broken
	Next   string // cursor of the next page, empty on the last
}

// Broken is a row that cannot be parsed as an item.
type Broken struct {
	ID  string // its source id
	Err error
}

const scanScope = "feed scan"

// Scan reads up to limit items of the table, which has no index by status. It costs the read units
// of all items it reads. It returns table.ErrCursor.
func (s *Store) Scan(ctx context.Context, cursor string, limit int32) (Scanned, error) {
	start, err := table.ParseCursor(scanScope, cursor)
	if err != nil {
		return Scanned{}, err
	}
	out, err := s.db.Scan(ctx, &dynamodb.ScanInput{TableName: &s.table, Limit: aws.Int32(min(limit, ScanLimit)), ExclusiveStartKey: start})
	if err != nil {
		return Scanned{}, fmt.Errorf("scan: %w", err)
	}
	var page Scanned
	before := table.TextOf(start[AttrSourceID]) // of the row before; those of one source id follow each other
	for _, attributes := range out.Items {
		item, err := Parse(attributes)
		id := table.TextOf(attributes[AttrSourceID])
		switch {
		case err != nil:
			page.Broken = append(page.Broken, Broken{ID: id, Err: err})
		case id != before:
			page.Items = append(page.Items, item)
		case !slices.Contains(page.Double, id):
			page.Double = append(page.Double, id)
		}
		before = id
	}
	page.Next, err = table.Cursor(scanScope, out.LastEvaluatedKey)
	return page, err
}

// Merge merges all rows of a source id: the first, which is the one that Get reads, gets the tags
// of the others, and those are deleted. There is more than one if another program wrote them, or if
// a text was lost and submitted again in the same moment.
func (s *Store) Merge(ctx context.Context, sourceID string) error {
	out, err := s.db.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
		ExpressionAttributeValues: table.Key{":id": &types.AttributeValueMemberS{Value: sourceID}},
	})
	if err != nil {
		return fmt.Errorf("merge %s: %w", sourceID, err)
	}
	var first Item
	for i, attributes := range out.Items {
		row, err := parse(attributes)
		if err != nil {
			return err
		}
		if i == 0 {
			first = row
			continue
		}
		if first, err = s.AddTags(ctx, first, row.MatchedTags); err != nil {
			return err
		}
		_, err = s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: itemKey(sourceID, row.IngestedAt)})
		if err != nil {
			return fmt.Errorf("merge %s: %w", sourceID, err)
		}
	}
	return nil
}

const missingParallel = 16 // source ids that are looked up side by side

// Missing returns the source ids that have no item, each confirmed by a second, strongly consistent
// read. Each costs a request, since the key contains a time too.
func (s *Store) Missing(ctx context.Context, ids []string) ([]string, error) {
	missing := make([]bool, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(missingParallel)
	for i, id := range ids {
		group.Go(func() error {
			out, err := s.db.Query(ctx, &dynamodb.QueryInput{
				TableName: &s.table, Limit: aws.Int32(1), Select: types.SelectCount,
				KeyConditionExpression:    aws.String("source_id = :id"),
				ExpressionAttributeValues: table.Key{":id": &types.AttributeValueMemberS{Value: id}},
			})
			if err != nil || out.Count > 0 {
				return err
			}
			_, err = s.Get(ctx, id)
			if missing[i] = errors.Is(err, lifecycle.ErrNotFound); missing[i] {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("look for items: %w", err)
	}
	var left []string
	for i, id := range ids {
		if missing[i] {
			left = append(left, id)
		}
	}
	return left, nil
}

// Segment reads one of total segments of the table, strongly consistent, and passes each page of
// items to see, with the number of rows that cannot be parsed.
func (s *Store) Segment(ctx context.Context, segment, total int32, see func(items []Item, unreadable int) error) error {
	in := &dynamodb.ScanInput{TableName: &s.table, ConsistentRead: aws.Bool(true), Segment: &segment, TotalSegments: &total}
	for {
		out, err := s.db.Scan(ctx, in)
		if err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		items := make([]Item, 0, len(out.Items))
		for _, attributes := range out.Items {
			if item, err := Parse(attributes); err == nil {
				items = append(items, item)
			}
		}
		if err := see(items, len(out.Items)-len(items)); err != nil {
			return err
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// ItemKey is the key of a row of the primary table.
type ItemKey struct{ SourceID, IngestedAt string }

// GetAll passes the existing items of the keys, all different, to see, in any order and strongly
// consistent. It skips those that cannot be parsed.
func (s *Store) GetAll(ctx context.Context, keys []ItemKey, see func(Item) error) error {
	all := make([]table.Key, len(keys))
	for i, key := range keys {
		all[i] = itemKey(key.SourceID, key.IngestedAt)
	}
	return table.GetAll(ctx, s.db, table.Get{Table: s.table, Keys: all, Consistent: true}, func(attributes map[string]types.AttributeValue) error {
		item, err := Parse(attributes)
		if err != nil {
			return nil
		}
		return see(item)
	})
}

// Lookup is the item at one key of the table.
type Lookup struct {
	Item Item // zero where there is none, or one that cannot be read
	// Unchanged is the condition check, for a transaction, that the table still holds the item.
	// There is none for an item that cannot be parsed.
	Unchanged []types.TransactWriteItem
}

// Analyzed reports whether there is an analyzed item.
func (l Lookup) Analyzed() bool { return l.Item.Status == Analyzed }

// Lookup reads the item of one key, strongly consistent.
func (s *Store) Lookup(ctx context.Context, key ItemKey) (Lookup, error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: itemKey(key.SourceID, key.IngestedAt), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return Lookup{}, fmt.Errorf("get %s: %w", key.SourceID, err)
	}
	var item Item
	still := expression.Name(AttrSourceID).AttributeNotExists()
	if out.Item != nil {
		if item, err = Parse(out.Item); err != nil {
			return Lookup{}, nil // unreadable: nothing of it can be checked
		}
		still = expression.Name(AttrStatus).Equal(expression.Value(string(item.Status))).
			And(expression.Name(AttrMatchedTags).Equal(expression.Value(&types.AttributeValueMemberSS{Value: item.MatchedTags})))
		if item.AnalyzedAt != "" {
			still = still.And(expression.Name("analyzed_at").Equal(expression.Value(item.AnalyzedAt)))
		}
	}
	expr, err := expression.NewBuilder().WithCondition(still).Build()
	if err != nil {
		return Lookup{}, fmt.Errorf("get %s: %w", key.SourceID, err)
	}
	return Lookup{item, []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
		TableName: &s.table, Key: itemKey(key.SourceID, key.IngestedAt), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}}}, nil
}
