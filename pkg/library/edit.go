package library

import (
	"context"
	"errors"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Edit identifies the owner who changes a node, and the version to change.
type Edit struct {
	By      string // an owner id
	IfMatch int64  // the expected version of the node; 0 for any
}

// changeAttempts is the maximum number of attempts of an edit that conflicts with other writes of the same nodes.
const changeAttempts = 10

// change reads a node, calls next, and writes the node that next returns, under the conditions that next returns.
// After a conflicting write it starts again. It writes nothing if next changes nothing. Errors are ErrVersion, ErrBusy
// and those of next.
func (s *Store) change(ctx context.Context, name, id string, e Edit, next func(Node) (Node, []types.TransactWriteItem, error)) (Node, error) {
	for range changeAttempts {
		before, err := s.Get(ctx, id)
		if err != nil {
			return Node{}, err
		}
		if before.Erasing() {
			return Node{}, lifecycle.ErrNotFound
		}
		if e.IfMatch != 0 && e.IfMatch != before.Version {
			return Node{}, ErrVersion
		}
		after, conditions, err := next(before)
		if err != nil {
			return Node{}, err
		}
		if reflect.DeepEqual(before, after) {
			return before, nil
		}
		after.Version, after.UpdatedAt, after.UpdatedBy = before.Version+1, stamp(s.now()), e.By
		err = s.edit(ctx, name, before, after, conditions)
		if err == nil {
			return after, nil
		}
		if !errors.Is(err, lifecycle.ErrCondition) && !table.CanceledFor(err, conflict) {
			return Node{}, err
		}
	}
	return Node{}, ErrBusy
}

// edit writes the difference between two versions of a node and updates the attributes that its file shares with it.
// It returns lifecycle.ErrCondition if the stored node differs from before or a condition does not hold.
func (s *Store) edit(ctx context.Context, name string, before, after Node, conditions []types.TransactWriteItem) error {
	node, err := difference(before, after)
	if err != nil {
		return err
	}
	node.Table, node.Key = s.nodes, key(before.ID)
	node.Condition = expression.Name(versionName).Equal(expression.Value(before.Version))
	write := lifecycle.Write{Items: []lifecycle.Item{node}, Also: conditions}
	if after.IsFile() {
		write.Items = append(write.Items, s.fileOf(after))
	}
	update := edit
	update.Name = name
	found, err := Machine().Apply(ctx, s.db, update, write)
	if errors.Is(err, lifecycle.ErrCondition) && len(write.Items)+len(conditions) == 1 {
		// The SDK may have retried a request whose response was lost.
		var written Node
		if attributevalue.UnmarshalMap(found, &written) == nil && reflect.DeepEqual(written, after) {
			return nil
		}
	}
	return err
}

// fileOf returns the update of the attributes that the file of a node shares with the node.
func (s *Store) fileOf(n Node) lifecycle.Item {
	return lifecycle.Item{
		Table: s.files, Key: key(n.ID),
		Set: map[string]table.Value{
			"fileName": table.Text(n.Name), parentIDName: table.Text(n.ParentID),
			isDeletedName: &types.AttributeValueMemberBOOL{Value: n.IsDeleted},
			updatedName:   table.Text(n.UpdatedAt), updatedByName: table.Text(n.UpdatedBy),
		},
		Add: map[string]table.Value{versionName: table.Integer(1)},
	}
}

// difference returns the update that turns before into after.
func difference(before, after Node) (lifecycle.Item, error) {
	item := lifecycle.Item{Set: map[string]table.Value{}}
	old, err := attributevalue.MarshalMap(before)
	if err != nil {
		return item, err
	}
	changed, err := attributevalue.MarshalMap(after)
	if err != nil {
		return item, err
	}
	for name, value := range changed {
		if !reflect.DeepEqual(old[name], value) {
			item.Set[name] = value
		}
	}
	for name := range old {
		if _, kept := changed[name]; !kept {
			item.Remove = append(item.Remove, name)
		}
	}
	return item, nil
}
