package library

import (
	"context"
	"fmt"
)

// MaxBulk is the maximum number of operations in one call of Bulk.
const MaxBulk = 100

// ErrBulk means that Bulk was called with more than MaxBulk operations.
var ErrBulk = fmt.Errorf("at most %d operations are allowed in one request", MaxBulk)

// Op is the kind of an operation.
type Op string

// Operations of Bulk.
const (
	OpMove    Op = "move"
	OpTrash   Op = "trash"
	OpRestore Op = "restore"
	OpErase   Op = "erase"
)

// Operation is one edit of a node.
type Operation struct {
	Op       Op
	ID       string
	ParentID string // target of a move; empty for the root
	IfMatch  int64  // 0 for any version
}

// Outcome is the result of an operation: the node as written, or an error. The result of OpErase is its
// EraseWorkflow instead, which the caller publishes.
type Outcome struct {
	Node  Node
	Erase Workflow
	Err   error
}

// Bulk performs the operations of one caller in order, and returns the outcome of each. A failure does not stop the
// others. Each operation checks the access of the caller. If there are more than MaxBulk operations, Bulk performs
// none of them and returns ErrBulk.
func (s *Store) Bulk(ctx context.Context, c Caller, operations []Operation) ([]Outcome, error) {
	if len(operations) > MaxBulk {
		return nil, ErrBulk
	}
	outcomes := make([]Outcome, len(operations))
	for i, o := range operations {
		outcomes[i] = s.operate(ctx, c, o)
	}
	return outcomes, nil
}

func (s *Store) operate(ctx context.Context, c Caller, o Operation) Outcome {
	var done Outcome
	if _, done.Err = s.Writable(ctx, o.ID, c); done.Err != nil {
		return done
	}
	e := Edit{By: c.Owner, IfMatch: o.IfMatch}
	switch o.Op {
	case OpMove:
		if o.ParentID != "" {
			if _, err := s.Writable(ctx, o.ParentID, c); err != nil {
				done.Err = fmt.Errorf("check the target folder: %w", err)
				return done
			}
		}
		done.Node, done.Err = s.Move(ctx, o.ID, o.ParentID, e)
	case OpTrash:
		done.Node, done.Err = s.Trash(ctx, o.ID, e)
	case OpRestore:
		done.Node, done.Err = s.Restore(ctx, o.ID, e)
	case OpErase:
		done.Erase, done.Err = s.Erase(ctx, o.ID, e)
	default:
		done.Err = fmt.Errorf("unknown operation %q", o.Op)
	}
	return done
}
