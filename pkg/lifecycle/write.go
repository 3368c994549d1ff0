package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Image is the attributes of an item.
type Image = map[string]types.AttributeValue

// Fence is an attribute that every move of an item changes. The write succeeds only while the
// attribute has the value that the writer read, so a worker whose item was taken over can no longer
// write. The zero Fence adds no condition, which is enough if an item never returns to an earlier
// state.
type Fence struct {
	Attribute string
	Seen      types.AttributeValue
	Next      types.AttributeValue
}

// TimeFence returns a fence on an attribute that holds epoch milliseconds, and its next value. The
// value strictly increases, even if this machine's clock is behind that of the last writer.
func TimeFence(attribute string, seen int64, now time.Time) (Fence, int64) {
	next := max(now.UnixMilli(), seen+1)
	number := func(n int64) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
	}
	return Fence{Attribute: attribute, Seen: number(seen), Next: number(next)}, next
}

// Item is one DynamoDB item to write. Besides the state and the fence it changes its own
// attributes; no attribute may be named twice.
type Item struct {
	Table  string
	Key    map[string]types.AttributeValue
	Status string // the attribute that holds its state; the machine's by default

	Set    map[string]types.AttributeValue // attributes
	Put    []Member                        // members of map attributes, which must exist
	Remove []string                        // attributes
	Add    map[string]types.AttributeValue // to sets, which need not exist, or to numbers
	Delete map[string]types.AttributeValue // from sets; an empty set is removed

	// Condition must hold as well. The zero value is no condition.
	Condition expression.ConditionBuilder
}

// Member is one member of a map attribute. Path names the attribute and then the member, whose name
// may be any text.
type Member struct {
	Path  []string
	Value types.AttributeValue
}

// Write is what a move or an update writes, atomically.
type Write struct {
	Fence Fence
	// Items are written in one transaction if there are several. The first is the
	// source of truth, which decides the error.
	Items []Item
	// Also are other writes and condition checks of the same transaction.
	Also []types.TransactWriteItem
	// Image requests the item as written. DynamoDB returns it for a single item only.
	Image bool
}

// Apply makes a move. It returns ErrNotFound, *MovedError, ErrFenceLost or ErrCondition when a
// condition of the first item fails, ErrInconsistent when only one of another item does, and
// ErrCondition when one of Also does.
//
// The image is that of the first item: as written if requested, or as found when its condition
// failed.
//
// When the response to the write of a single item is lost, the SDK repeats the request, which then
// fails because of its own success: the caller gets *MovedError, ErrFenceLost or ErrCondition. The
// repeat of a transaction succeeds.
func (m Machine) Apply(ctx context.Context, db *dynamodb.Client, move Move, w Write) (Image, error) {
	several := len(w.Items)+len(w.Also) > 1
	if len(w.Items) == 0 || several && w.Image {
		return nil, fmt.Errorf("%s: a write needs an item, and only the write of a single item returns an image", move.Name)
	}
	updates := make([]types.Update, len(w.Items))
	for i, item := range w.Items {
		var err error
		if updates[i], err = m.compile(move, w.Fence, item); err != nil {
			return nil, fmt.Errorf("%s: %w", move.Name, err)
		}
	}
	if several {
		return m.writeAll(ctx, db, move, w, updates)
	}
	u := updates[0]
	in := &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key,
		UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	}
	if w.Image {
		in.ReturnValues = types.ReturnValueAllNew
	}
	out, err := db.UpdateItem(ctx, in)
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return failed.Item, m.refusal(move, w.Fence, w.Items[0], failed.Item)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", move.Name, err)
	}
	return out.Attributes, nil
}

// Update writes items of the machine without a move: in any state, if they exist and the fence and
// the conditions of the items hold. Errors are those of Apply except *MovedError. The name appears
// in error messages.
func (m Machine) Update(ctx context.Context, db *dynamodb.Client, name string, w Write) (Image, error) {
	return m.Apply(ctx, db, Move{Name: name}, w)
}

func (m Machine) writeAll(ctx context.Context, db *dynamodb.Client, move Move, w Write, updates []types.Update) (Image, error) {
	writes := make([]types.TransactWriteItem, len(updates), len(updates)+len(w.Also))
	for i := range updates {
		writes[i].Update = &updates[i]
	}
	_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: append(writes, w.Also...)})
	if canceled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		for i, reason := range canceled.CancellationReasons {
			switch {
			case aws.ToString(reason.Code) != "ConditionalCheckFailed":
			case i == 0:
				return reason.Item, m.refusal(move, w.Fence, w.Items[0], reason.Item)
			case i < len(updates) && !errors.Is(m.refusal(move, w.Fence, w.Items[i], reason.Item), ErrCondition):
				return nil, fmt.Errorf("%s: %w", move.Name, ErrInconsistent)
			default:
				return nil, fmt.Errorf("%s: %w", move.Name, ErrCondition)
			}
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", move.Name, err)
	}
	return nil, err
}
