package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Apply makes a move, or an update of the machine: in any state, if the items exist and the fence and the conditions of the
// items hold. It returns ErrNotFound, *MovedError (for a move only), ErrFenceLost or ErrCondition when the condition of the
// first item fails, ErrInconsistent when only the state or the fence of another item does not match, and ErrCondition when
// another condition fails.
//
// The image is that of the first item: as written if requested, or as found when its condition
// failed.
//
// If the response to the write of a single item is lost, the SDK repeats the request, which then
// fails because the first one succeeded: Apply returns *MovedError, ErrFenceLost or ErrCondition.
// A repeated transaction succeeds.
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
