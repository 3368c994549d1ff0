package library

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/table"
)

// ErrNotEmpty means that a folder to erase still has children, which must be erased first.
var ErrNotEmpty = errors.New("the folder is not empty")

// eraseID returns the id of the operation that erases a folder. The operation of a file has the file's id.
func eraseID(folderID string) string {
	return uuid.NewSHA1(roots, []byte(erasePrefix+folderID)).String()
}

// Erase hides a node permanently and returns the operation that removes it. A file gets a new run, so that its
// steps can no longer finish. The children of a folder must be erased, each by its own operation, before Erased
// completes the operation of the folder. A second call returns the same operation. Errors are those of edits;
// lifecycle.ErrNotFound also means that the node was already removed.
func (s *Store) Erase(ctx context.Context, id string, e Edit) (Workflow, error) {
	for range changeAttempts {
		n, err := s.Get(ctx, id)
		switch {
		case err != nil:
			return Workflow{}, err
		case n.Type == KindUser:
			return Workflow{}, ErrRoot
		case n.Erasing() && n.IsFile():
			return s.Workflow(ctx, id)
		case n.Erasing():
			return s.Workflow(ctx, eraseID(id))
		case e.IfMatch != 0 && e.IfMatch != n.Version:
			return Workflow{}, ErrVersion
		}
		w, err := s.erase(ctx, n, e)
		if !errors.Is(err, lifecycle.ErrCondition) && !errors.Is(err, lifecycle.ErrFenceLost) && !table.CanceledFor(err, conflict) {
			return w, err
		}
	}
	return Workflow{}, ErrBusy
}

func (s *Store) erase(ctx context.Context, n Node, e Edit) (Workflow, error) {
	hidden := map[string]table.Value{
		parentIDName: table.Text(eraseOf(n.OwnedBy)), isDeletedName: &types.AttributeValueMemberBOOL{Value: true}, updatedByName: table.Text(e.By),
	}
	both := s.both(n.ID, hidden, hidden)
	file, node := both[0], both[1]
	node.Remove = []string{typeOwnedByName, "trashedFrom"}
	node.Condition = expression.Name(versionName).Equal(expression.Value(n.Version))
	write := lifecycle.Write{Items: []lifecycle.Item{node}}
	var w Workflow
	if n.IsFile() {
		f, err := s.File(ctx, n.ID)
		if err != nil {
			return Workflow{}, err
		}
		if w, err = s.newWorkflow(ctx, f, f.Run+1, nil); err != nil {
			return Workflow{}, err
		}
		write.Items = append(write.Items, file)
		write.Fence = runFence(f.Run, w.Run)
	} else {
		// An operation remains if the folder has the id of one that was erased.
		previous, err := s.Workflow(ctx, eraseID(n.ID))
		if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
			return Workflow{}, err
		}
		w = Workflow{CorrelationID: eraseID(n.ID), Run: previous.Run + 1, Version: previous.Version}
	}
	now := stamp(s.now())
	w.WorkflowType, w.CurrentState, w.FileID, w.UserID = EraseWorkflow, Processing, n.ID, n.OwnedBy
	w.CreatedAt, w.UpdatedAt, w.Deadline, w.Version = now, now, s.deadline(), w.Version+1
	w.StepResults = map[string]plan.Result{}
	put, err := s.replace(w, earlier(w))
	if err != nil {
		return Workflow{}, err
	}
	write.Also = []types.TransactWriteItem{put}
	_, err = Machine().Apply(ctx, s.db, erase, write)
	return w, err
}

// Erased completes an operation that Erase returned, after the objects of the file or the children of the folder have
// been deleted. It removes the node, and a file. The operation becomes Processed and is kept for some days, because a new node
// can have the same id. Erased is idempotent. It returns ErrNotEmpty for a folder that has children, and
// lifecycle.ErrFenceLost if the file has another run.
func (s *Store) Erased(ctx context.Context, w Workflow) error {
	gone := func(name string) types.TransactWriteItem {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &name, Key: key(w.FileID)}}
	}
	write := lifecycle.Write{Items: []lifecycle.Item{s.ofWorkflow(w.CorrelationID, nil)}, Also: []types.TransactWriteItem{gone(s.nodes)}}
	if w.CorrelationID == w.FileID {
		write.Fence = runFence(w.Run, w.Run)
		write.Also = append(write.Also, gone(s.files))
	} else {
		page, err := s.Children(ctx, w.FileID, Listing{Limit: 1})
		if err != nil {
			return err
		}
		if len(page.Nodes) > 0 {
			return ErrNotEmpty
		}
	}
	_, err := Machine().Apply(ctx, s.db, complete, write)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok && moved.Found == Processed {
		return nil
	}
	return err
}
