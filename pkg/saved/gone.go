package saved

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

// The following functions are for the sweeps of the analyzer, which remove the tags of items that do not exist any more.

// ownersPartition contains a row for each owner that has tagged an item: the partition of tags without an owner.
const ownersPartition = platform.Tags

// register writes an owner to the list of those whose tags are swept, before its first tag.
func (s *Tags) register(ctx context.Context, owner string) error {
	if _, done := s.registered.Load(owner); done {
		return nil
	}
	_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: platform.Key(ownersPartition, owner)})
	if err != nil {
		return fmt.Errorf("register an owner of tags: %w", err)
	}
	s.registered.Store(owner, true)
	return nil
}

// NextOwner returns the first owner with tags that sorts after the given one, or "" if there is none.
func (s *Tags) NextOwner(ctx context.Context, after string) (string, error) {
	return s.documents.Next(ctx, ownersPartition, after)
}

// Swept is a tagged item of a sweep.
type Swept struct {
	Item
	Changed time.Time // when the owner changed its tags
	Missing time.Time // when a sweep noticed that the item does not exist; zero if it exists
}

// Page reads a page of the tagged items of an owner in an area. after is the id of the last item of the previous page, or empty.
func (s *Tags) Page(ctx context.Context, owner, area, after string, limit int32) (page []Swept, more bool, err error) {
	in := &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: &limit,
		KeyConditionExpression:    aws.String("PK = :owner AND begins_with(SK, :area)"),
		ExpressionAttributeValues: table.Key{":owner": table.Text(platform.Tags + owner), ":area": table.Text(Item{Area: area}.sortKey())},
	}
	if after != "" {
		in.ExclusiveStartKey = platform.Key(platform.Tags+owner, Item{area, after}.sortKey())
	}
	out, err := s.db.Query(ctx, in)
	if err != nil {
		return nil, false, fmt.Errorf("list tags: %w", err)
	}
	var rows []row
	if err := attributevalue.UnmarshalListOfMaps(out.Items, &rows); err != nil {
		return nil, false, fmt.Errorf("list tags: %w", err)
	}
	for _, r := range rows {
		one := Swept{Item: r.item(), Changed: time.UnixMilli(r.UpdatedAt).UTC()}
		if r.MissingAt > 0 {
			one.Missing = time.UnixMilli(r.MissingAt).UTC()
		}
		page = append(page, one)
	}
	return page, out.LastEvaluatedKey != nil, nil
}

// SetMissing records when a sweep noticed that an item with tags of an owner does not exist, or with the zero time, that it exists.
func (s *Tags) SetMissing(ctx context.Context, owner string, i Item, at time.Time) error {
	in := &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: platform.Key(platform.Tags+owner, i.sortKey()), ConditionExpression: aws.String("attribute_exists(PK)"),
		UpdateExpression: aws.String("REMOVE missingAt"),
	}
	if !at.IsZero() {
		in.UpdateExpression = aws.String("SET missingAt = :at")
		in.ExpressionAttributeValues = table.Key{":at": table.Integer(at.UnixMilli())}
	}
	_, err := s.db.UpdateItem(ctx, in)
	if _, removed := errors.AsType[*types.ConditionalCheckFailedException](err); removed || err == nil {
		return nil
	}
	return fmt.Errorf("mark the tags of %s %s: %w", i.Area, i.ID, err)
}
