package lifecycle

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
)

var (
	// ErrNotFound means that the item does not exist.
	ErrNotFound = errors.New("the item does not exist")
	// ErrExists means that an item with the id, or for the same request, exists.
	ErrExists = errors.New("the item already exists")
	// ErrFenceLost means that the item is in a state that the move starts from, but was written
	// after the fence was read.
	ErrFenceLost = errors.New("the item has changed since it was read")
	// ErrCondition means that state and fence match, but the condition of an item or of another
	// write of the transaction does not hold.
	ErrCondition = errors.New("a condition of the write does not hold")
	// ErrInconsistent means that the first item is in a state that the move starts from and
	// another item is not, because one of them was written alone.
	ErrInconsistent = errors.New("the copies of the item differ")
)

// MovedError means that the item is in a state that the move does not start from.
type MovedError struct {
	Move  string
	Found State
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("the move %s is not allowed from %s", e.Move, e.Found)
}

// refusal returns the reason why the condition of a write failed, from the item as found.
func (m Machine) refusal(move Move, fence Fence, item Item, found Image) error {
	if len(found) == 0 {
		return ErrNotFound
	}
	if len(move.From) > 0 {
		status := m.status(item)
		var state string
		if err := attributevalue.Unmarshal(found[status], &state); err != nil {
			return fmt.Errorf("%s: the item has no valid %s: %w", move.Name, status, err)
		}
		if !slices.Contains(move.From, State(state)) {
			return &MovedError{Move: move.Name, Found: State(state)}
		}
	}
	if item.Condition.IsSet() && (fence.Attribute == "" || reflect.DeepEqual(found[fence.Attribute], fence.Seen)) {
		return ErrCondition
	}
	return ErrFenceLost
}
