package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// StatusAttribute holds the state on every item, in every area.
const StatusAttribute = "status"

var (
	// ErrNotFound says that the item does not exist, or no longer.
	ErrNotFound = errors.New("the item does not exist")
	// ErrFenceLost says that the item is in a state the move starts from, but
	// someone wrote it since the fence was read.
	ErrFenceLost = errors.New("the item was written by another since it was read")
	// ErrApart says that the first item of the move is as the move needs it, and
	// another is not: someone wrote one of them alone.
	ErrApart = errors.New("the item's copies differ")
)

// MovedError says that the item is in a state the move does not start from.
type MovedError struct {
	Move  string
	Found State
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("the move %s does not start from %s", e.Move, e.Found)
}

// Fence is an attribute that every move of an item changes. A write goes
// through only while the attribute has the value that was seen, so a worker
// that was taken over can no longer write. The zero Fence is none: the state
// alone is the condition, which is enough where no state is come back to.
type Fence struct {
	Attribute string
	Seen      types.AttributeValue
	Next      types.AttributeValue
}

// Item is one DynamoDB item that a move writes. All items of a move carry the
// state and the fence; Set and Remove are the attributes that this one changes
// besides.
type Item struct {
	Table  string
	Key    map[string]types.AttributeValue
	Set    map[string]types.AttributeValue
	Remove []string
}

// Apply makes a move, in one conditional write over all items or not at all.
// The first item is the source of truth, from which the errors are told:
// ErrNotFound, *MovedError or ErrFenceLost when its condition fails, and ErrApart
// when only that of another does.
//
// One item is an UpdateItem, several are a TransactWriteItems. When the answer
// of an UpdateItem was lost and the client repeated it, the repeat finds its
// own success and reports a *MovedError or ErrFenceLost; a transaction repeats
// under its client token and reports success.
func Apply(ctx context.Context, db *dynamodb.Client, move Move, fence Fence, items ...Item) error {
	updates := make([]types.Update, len(items))
	for i, item := range items {
		updates[i] = compile(move, fence, item)
	}
	if len(updates) == 1 {
		return updateOne(ctx, db, move, updates[0])
	}
	return updateAll(ctx, db, move, updates)
}

// compile writes one item's update and its condition. Attributes go by
// placeholders, since any name may be a word that DynamoDB reserves. The SDK's
// expression package would do the same in ten times the time.
func compile(move Move, fence Fence, item Item) types.Update {
	names := map[string]string{"#status": StatusAttribute}
	given := map[string]types.AttributeValue{":to": &types.AttributeValueMemberS{Value: string(move.To)}}
	update, condition := "SET #status = :to", "#status IN ("
	for i, state := range move.From {
		at := ":from" + strconv.Itoa(i)
		given[at] = &types.AttributeValueMemberS{Value: string(state)}
		if i > 0 {
			condition += ", "
		}
		condition += at
	}
	condition += ")"
	if fence.Attribute != "" {
		names["#fence"], given[":seen"], given[":next"] = fence.Attribute, fence.Seen, fence.Next
		update += ", #fence = :next"
		condition += " AND #fence = :seen"
	}
	for i, name := range slices.Sorted(maps.Keys(item.Set)) {
		at := strconv.Itoa(i)
		names["#"+at], given[":"+at] = name, item.Set[name]
		update += ", #" + at + " = :" + at
	}
	for i, name := range item.Remove {
		at := "#gone" + strconv.Itoa(i)
		names[at] = name
		if i == 0 {
			update += " REMOVE " + at
		} else {
			update += ", " + at
		}
	}
	return types.Update{
		TableName: &item.Table, Key: item.Key, UpdateExpression: &update, ConditionExpression: &condition,
		ExpressionAttributeNames: names, ExpressionAttributeValues: given,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

func updateOne(ctx context.Context, db *dynamodb.Client, move Move, u types.Update) error {
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key,
		UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return refusal(move, failed.Item)
	}
	if err != nil {
		return fmt.Errorf("move %s: %w", move.Name, err)
	}
	return nil
}

func updateAll(ctx context.Context, db *dynamodb.Client, move Move, updates []types.Update) error {
	writes := make([]types.TransactWriteItem, len(updates))
	for i := range updates {
		writes[i].Update = &updates[i]
	}
	_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if canceled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		for i, reason := range canceled.CancellationReasons {
			if aws.ToString(reason.Code) != "ConditionalCheckFailed" {
				continue
			}
			if i > 0 {
				return fmt.Errorf("move %s: %w", move.Name, ErrApart)
			}
			return refusal(move, reason.Item)
		}
	}
	if err != nil {
		return fmt.Errorf("move %s: %w", move.Name, err)
	}
	return nil
}

// refusal tells why the condition failed from the item as it was found.
func refusal(move Move, found map[string]types.AttributeValue) error {
	if len(found) == 0 {
		return ErrNotFound
	}
	var state string
	if err := attributevalue.Unmarshal(found[StatusAttribute], &state); err != nil {
		return fmt.Errorf("move %s: the item has no readable %s: %w", move.Name, StatusAttribute, err)
	}
	if !slices.Contains(move.From, State(state)) {
		return &MovedError{Move: move.Name, Found: State(state)}
	}
	return ErrFenceLost
}
