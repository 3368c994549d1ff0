package saved

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/tag"
)

// countKey is the sort key of the row with the number of an owner's tagged items, in the attribute items.
const countKey = "count"

// attempts is the maximum number of attempts at a change while other requests change the same row, or the count.
const attempts = 20

// conflictPause is the maximum pause after an attempt that conflicted with others.
const conflictPause = 50 * time.Millisecond

// errBusy means that other requests have changed the row in all attempts.
var errBusy = errors.New("the tags are being changed by too many requests")

// Add gives an item a tag, in the form that tag.Parse returns. It does nothing if the item has the tag, whatever its case. It
// returns ErrTags and ErrTagged.
func (s *Tags) Add(ctx context.Context, owner string, i Item, given string) error {
	return s.try(ctx, "add a tag to", i, func() (done bool, err error) {
		_, err = s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.table, Key: platform.Key(platform.Tags+owner, i.sortKey()),
			ConditionExpression:      aws.String("attribute_exists(PK) AND (attribute_exists(tags.#tag) OR size(tags) < :most)"),
			UpdateExpression:         aws.String("SET tags.#tag = if_not_exists(tags.#tag, :given), updatedAt = :now"),
			ExpressionAttributeNames: map[string]string{"#tag": tag.Fold(given)},
			ExpressionAttributeValues: table.Key{
				":given": table.Text(given), ":now": table.Integer(time.Now().UnixMilli()), ":most": table.Integer(int64(s.maxTags)),
			},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
		switch {
		case !ok:
			return true, err
		case failed.Item != nil:
			return true, ErrTags
		}
		return s.create(ctx, owner, i, given)
	})
}

// create writes the row of an item that has no tags. done is false if there is one.
func (s *Tags) create(ctx context.Context, owner string, i Item, given string) (done bool, err error) {
	if err := s.register(ctx, owner); err != nil {
		return true, err
	}
	r, now := platform.Key(platform.Tags+owner, i.sortKey()), table.Integer(time.Now().UnixMilli())
	r["tags"], r["createdAt"], r["updatedAt"] = table.Map(table.Key{tag.Fold(given): table.Text(given)}), now, now
	err = s.transact(ctx, owner, 1, types.TransactWriteItem{Put: &types.Put{
		TableName: &s.table, Item: r, ConditionExpression: aws.String("attribute_not_exists(PK)"),
	}})
	switch failed := conditions(err); {
	case failed[0]:
		return false, nil
	case failed[1]:
		return true, ErrTagged
	}
	return true, err
}

// Remove takes a tag from an item, whatever its case. It does nothing if the item does not have it.
func (s *Tags) Remove(ctx context.Context, owner string, i Item, given string) error {
	key, names := platform.Key(platform.Tags+owner, i.sortKey()), map[string]string{"#tag": tag.Fold(given)}
	return s.try(ctx, "remove a tag from", i, func() (done bool, err error) {
		_, err = s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.table, Key: key, ExpressionAttributeNames: names,
			ConditionExpression:                 aws.String("attribute_exists(tags.#tag) AND size(tags) > :one"),
			UpdateExpression:                    aws.String("REMOVE tags.#tag SET updatedAt = :now"),
			ExpressionAttributeValues:           table.Key{":one": table.Integer(1), ":now": table.Integer(time.Now().UnixMilli())},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
		if !ok {
			return true, err
		}
		var found row
		if err := attributevalue.UnmarshalMap(failed.Item, &found); err != nil {
			return true, err
		}
		if _, has := found.Tags[names["#tag"]]; !has {
			return true, nil
		}
		err = s.transact(ctx, owner, -1, types.TransactWriteItem{Delete: &types.Delete{ // the last tag
			TableName: &s.table, Key: key, ExpressionAttributeNames: names,
			ConditionExpression:       aws.String("attribute_exists(tags.#tag) AND size(tags) = :one"),
			ExpressionAttributeValues: table.Key{":one": table.Integer(1)},
		}})
		if conditions(err)[0] {
			return false, nil
		}
		return true, err
	})
}

// Forget deletes what is kept about an item for an owner: the tags, the searches that it has matched, and the log of the rules.
func (s *Tags) Forget(ctx context.Context, owner string, i Item) error {
	for _, partition := range []string{platform.Matches, platform.RuleLogs} {
		_, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: platform.Key(partition+owner, i.sortKey())})
		if err != nil {
			return fmt.Errorf("delete the log of %s %s: %w", i.Area, i.ID, err)
		}
	}
	key := platform.Key(platform.Tags+owner, i.sortKey())
	return s.try(ctx, "remove the tags of", i, func() (done bool, err error) {
		out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &s.table, Key: key, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String(platform.PartitionKey),
		})
		if err != nil || out.Item == nil {
			return true, err
		}
		err = s.transact(ctx, owner, -1, types.TransactWriteItem{Delete: &types.Delete{
			TableName: &s.table, Key: key, ConditionExpression: aws.String("attribute_exists(PK)"),
		}})
		if conditions(err)[0] {
			err = nil
		}
		return true, err
	})
}

// try calls do until it is done, also after conflicts with other requests.
func (s *Tags) try(ctx context.Context, what string, i Item, do func() (done bool, err error)) error {
	for range attempts {
		done, err := do()
		switch {
		case table.CanceledFor(err, "TransactionConflict"): // after the retries of the SDK
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(rand.N(conflictPause)):
			}
		case done && (err == nil || errors.Is(err, ErrTags) || errors.Is(err, ErrTagged)):
			return err
		case err != nil:
			return fmt.Errorf("%s %s %s: %w", what, i.Area, i.ID, err)
		}
	}
	return fmt.Errorf("%s %s %s: %w", what, i.Area, i.ID, errBusy)
}

// transact makes a write that changes the number of tagged items, which it limits.
func (s *Tags) transact(ctx context.Context, owner string, more int64, write types.TransactWriteItem) error {
	count := &types.Update{
		TableName: &s.table, Key: platform.Key(platform.Tags+owner, countKey), UpdateExpression: aws.String("ADD #items :more"),
		ExpressionAttributeNames: map[string]string{"#items": "items"}, ExpressionAttributeValues: table.Key{":more": table.Integer(more)},
	}
	if more > 0 {
		count.ConditionExpression = aws.String("attribute_not_exists(#items) OR #items < :most")
		count.ExpressionAttributeValues[":most"] = table.Integer(int64(s.maxTagged))
	}
	_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{write, {Update: count}}})
	return err
}

// conditions reports which of the two writes of a transaction were canceled because of their conditions.
func conditions(err error) (failed [2]bool) {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return failed
	}
	for n, reason := range canceled.CancellationReasons[:min(len(canceled.CancellationReasons), len(failed))] {
		failed[n] = aws.ToString(reason.Code) == "ConditionalCheckFailed"
	}
	return failed
}
