package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// ScanLimit is the maximum number of items on a page of Scan.
const ScanLimit = 100

// Scanned is a page of a scan of the primary table, unordered and eventually consistent: use it only
// as a hint.
type Scanned struct {
	Items  []Item
	Double []string // source ids with more than one row; Items contains the first row
	Broken []Broken
	Next   string // cursor of the next page, empty on the last
}

// Broken is a row that cannot be parsed as an item.
type Broken struct {
	ID  string // its source id
	Err error
}

const scanScope = "feed scan"

// Scan reads up to limit items of the table, which has no index by status. It consumes read units for
// all items it reads. It returns table.ErrCursor for a cursor of another list.
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
	before := table.TextOf(start[AttrSourceID]) // previous row; rows of one source id are consecutive
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

// Merge merges all rows of a source id: the tags of the other rows are added to the first row, which Get
// reads, and the others are deleted. An item has several rows if another program wrote them, or if its
// text was lost and concurrent writers submitted it again.
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
		_, err = s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: Key(sourceID, row.IngestedAt)})
		if err != nil {
			return fmt.Errorf("merge %s: %w", sourceID, err)
		}
	}
	return nil
}

const missingParallel = 16 // source ids that are looked up concurrently

// Missing returns the source ids that have no item, each confirmed by a second, strongly consistent
// read. Each id requires a request, since the key also contains a time.
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
		return nil, fmt.Errorf("look up items: %w", err)
	}
	var absent []string
	for i, id := range ids {
		if missing[i] {
			absent = append(absent, id)
		}
	}
	return absent, nil
}
