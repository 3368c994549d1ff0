package library

import (
	"cmp"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// Rename changes the name of a folder or a file. Like every edit, it returns the node as written, or
// lifecycle.ErrNotFound, ErrRoot, ErrVersion or ErrBusy. It also returns ErrName or ErrTrashed.
func (s *Store) Rename(ctx context.Context, id, name string, e Edit) (Node, error) {
	return s.Change(ctx, id, Change{Name: &name}, e)
}

// Change contains the new values of a node. A nil field leaves a value unchanged.
type Change struct {
	Name        *string
	DisplayName *string // shown instead of the name; allowed for a root; empty for none
	ParentID    *string // empty for the root
	// Unique rejects a new name or folder with ErrNameTaken if another node of the folder has the name. Concurrent writes can
	// nevertheless lead to equal names.
	Unique bool
}

// Change combines Rename and Move in one write, with the errors of both. Only the display name of a root can be
// changed.
func (s *Store) Change(ctx context.Context, id string, c Change, e Edit) (Node, error) {
	var name, display string
	var err error
	if c.Name != nil {
		if name, err = CleanName(*c.Name); err != nil {
			return Node{}, err
		}
	}
	if c.DisplayName != nil {
		if display, err = CleanDisplayName(*c.DisplayName); err != nil {
			return Node{}, err
		}
	}
	if id == RootID(e.By) {
		if _, err := s.ensureRoot(ctx, e.By); err != nil {
			return Node{}, err
		}
	}
	return s.change(ctx, "change", id, e, func(before Node) (Node, []types.TransactWriteItem, error) {
		n, err := before, changeable(before)
		if errors.Is(err, ErrRoot) && c.Name == nil && c.ParentID == nil {
			err = nil
		}
		if err != nil {
			return Node{}, nil, err
		}
		if c.Name != nil {
			n.Name = name
		}
		if c.DisplayName != nil {
			n.DisplayName = display
		}
		var conditions []types.TransactWriteItem
		if c.ParentID != nil {
			if n, conditions, err = s.under(ctx, n, *c.ParentID); err != nil {
				return Node{}, nil, err
			}
		}
		if c.Unique && (n.Name != before.Name || n.ParentID != before.ParentID) {
			taken, err := s.nameTaken(ctx, n)
			if err != nil || taken {
				return Node{}, nil, cmp.Or(err, ErrNameTaken)
			}
		}
		return n, conditions, nil
	})
}

func changeable(n Node) error {
	switch {
	case n.Type == KindUser:
		return ErrRoot
	case n.IsDeleted:
		return ErrTrashed
	}
	return nil
}

// Move moves a node with everything below it to another folder of the same owner; an empty parentID means the root.
// The move of a folder is conditional on the position of every folder above the target, so that two concurrent moves
// cannot form a cycle: one of them returns ErrCycle. Other errors are those of edits, and ErrTrashed, ErrOwner,
// ErrNotFolder and ErrTooDeep.
func (s *Store) Move(ctx context.Context, id, parentID string, e Edit) (Node, error) {
	return s.Change(ctx, id, Change{ParentID: &parentID}, e)
}

// under returns a node with a folder as its new parent, and the conditions of the move.
func (s *Store) under(ctx context.Context, n Node, parentID string) (Node, []types.TransactWriteItem, error) {
	target, err := s.parent(ctx, n.OwnedBy, parentID)
	if err != nil {
		return Node{}, nil, err
	}
	if target.contains(n.ID) {
		return Node{}, nil, ErrCycle
	}
	var conditions []types.TransactWriteItem
	if n.Type == KindFolder {
		height, err := s.height(ctx, n)
		if err != nil {
			return Node{}, nil, err
		}
		if len(target)+height > MaxDepth {
			return Node{}, nil, ErrTooDeep
		}
		for _, above := range target[:len(target)-1] { // the root is never moved
			conditions = append(conditions, s.inPlace(above))
		}
	}
	n.ParentID = target.Node().ID
	return n, conditions, nil
}

// Trash moves a node to its owner's trash, which also hides everything below it. It writes the node, and for a file
// also the file. It does nothing if the node is in the trash.
func (s *Store) Trash(ctx context.Context, id string, e Edit) (Node, error) {
	return s.change(ctx, "trash", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		err := changeable(n)
		if errors.Is(err, ErrTrashed) {
			return n, nil, nil
		}
		n.TrashedFrom, n.ParentID, n.IsDeleted = n.ParentID, trashOf(n.OwnedBy), true
		n.TypeOwnedBy, n.DeletedAt = "", stamp(s.now())
		return n, nil, err
	})
}

// Restore moves a node from the trash back to its folder, or to the root if the folder does not exist or is in the
// trash. It returns ErrNotTrashed for a node that was not itself put into the trash.
func (s *Store) Restore(ctx context.Context, id string, e Edit) (Node, error) {
	return s.change(ctx, "restore", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		if !n.IsDeleted {
			return Node{}, nil, ErrNotTrashed
		}
		to := n.TrashedFrom
		n.TrashedFrom, n.IsDeleted, n.DeletedAt = "", false, ""
		n.TypeOwnedBy = typeOwned(n.Type, n.OwnedBy)
		restored, conditions, err := s.under(ctx, n, to)
		if errors.Is(err, lifecycle.ErrNotFound) || errors.Is(err, ErrTrashed) || errors.Is(err, ErrTooDeep) || errors.Is(err, ErrCycle) {
			return s.under(ctx, n, "")
		}
		return restored, conditions, err
	})
}
