package library

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// Access is what a caller may do with a node. A caller that may do nothing with it gets
// lifecycle.ErrNotFound instead, as if it did not exist.
type Access int

// What a caller may do with a node; each includes the one before.
const (
	NoAccess Access = iota
	MayRead
	MayWrite
)

// ErrForbidden means that the caller may read the node, and not change it.
var ErrForbidden = errors.New("only the owner may change the node")

// ErrPrincipals means that a node would be shared with more than MaxPrincipals users and groups.
var ErrPrincipals = fmt.Errorf("a node is shared with at most %d users and groups", MaxPrincipals)

// MaxPrincipals is the most users and groups that a node is shared with.
const MaxPrincipals = 200

// Caller is who wants to see or change a node. The zero Caller sees what is public.
type Caller struct {
	Owner  string   // empty if unknown
	Groups []string // of a proven identity only
	Link   Link     // what a valid share link gave; the zero Link for none
}

// Access is what a caller may do with the node of the path. The owner may write. A permission of a
// node, and a link to it, covers all below it. What is in the trash is its owner's alone, and what is
// being erased nobody's.
func (p Path) Access(c Caller) Access {
	top := p[len(p)-1]
	switch {
	case top.Erasing():
		return NoAccess
	case c.Owner != "" && c.Owner == p.Node().OwnedBy:
		return MayWrite
	case p.Trashed():
		return NoAccess
	}
	for _, n := range p {
		if n.Permissions.allow(c) || c.Link.to(n) {
			return MayRead
		}
	}
	return NoAccess
}

// Visible returns the part of the path that the caller may read: the node first, and last the topmost
// of those above it whose permissions let the caller read it.
func (p Path) Visible(c Caller) Path {
	visible := 0
	for visible < len(p) && p[visible:].Access(c) != NoAccess {
		visible++
	}
	return p[:visible]
}

func (p Permissions) allow(c Caller) bool {
	return p.IsPublic || c.Owner != "" && slices.Contains(p.Users, c.Owner) ||
		slices.ContainsFunc(c.Groups, func(group string) bool { return slices.Contains(p.Groups, group) })
}

// Readable reads the path of a node that the caller may read. It returns lifecycle.ErrNotFound for
// all others.
func (s *Store) Readable(ctx context.Context, id string, c Caller) (Path, error) {
	path, err := s.Path(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) && c.Owner != "" && id == RootID(c.Owner) {
		return Path{virtualRoot(c.Owner)}, nil
	}
	if err != nil {
		return nil, err
	}
	if path.Access(c) == NoAccess {
		return nil, lifecycle.ErrNotFound
	}
	return path, nil
}

// Writable is Readable for a node that the caller wants to change. It returns ErrForbidden when the
// caller may only read it.
func (s *Store) Writable(ctx context.Context, id string, c Caller) (Path, error) {
	path, err := s.Readable(ctx, id, c)
	if err == nil && path.Access(c) != MayWrite {
		return nil, ErrForbidden
	}
	return path, err
}

// Share replaces who may read a node besides its owner. Links keep their validity. Errors are those
// of edits, ErrTrashed and ErrPrincipals.
func (s *Store) Share(ctx context.Context, id string, public bool, users, groups []string, e Edit) (Node, error) {
	users, groups = principals(users), principals(groups)
	if len(users)+len(groups) > MaxPrincipals {
		return Node{}, ErrPrincipals
	}
	return s.change(ctx, "share", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		n.Permissions = Permissions{IsPublic: public, Users: users, Groups: groups, Epoch: n.Permissions.Epoch}
		return n, nil, changeable(n)
	})
}

// RevokeLinks makes all links to a node invalid. Errors are those of Share.
func (s *Store) RevokeLinks(ctx context.Context, id string, e Edit) (Node, error) {
	return s.change(ctx, "revokeLinks", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		n.Permissions.Epoch++
		return n, nil, changeable(n)
	})
}

// principals returns a set: sorted, without repeats and empty strings.
func principals(names []string) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	slices.Sort(names)
	return slices.Compact(names)
}
