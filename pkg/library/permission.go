package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// Access is the access of a caller to a node. A caller without access gets lifecycle.ErrNotFound, as if the node
// did not exist.
type Access int

// The levels of access; each includes the previous one.
const (
	NoAccess Access = iota
	MayRead
	MayWrite
)

// ErrForbidden means that the caller may read the node but not change it.
var ErrForbidden = errors.New("only the owner may change the node")

// ErrPrincipals means that a node would be shared with more than MaxPrincipals users and groups.
var ErrPrincipals = fmt.Errorf("a node can be shared with at most %d users and groups", MaxPrincipals)

// ErrLinks means that a node has MaxLinks links that have not expired.
var ErrLinks = fmt.Errorf("a node can have at most %d links", MaxLinks)

// MaxLinks is the maximum number of links to a node that have not expired.
const MaxLinks = 100

// MaxPrincipals is the maximum number of users and groups that a node is shared with.
const MaxPrincipals = 200

// Caller identifies who reads or changes a node. The zero Caller sees public nodes.
type Caller struct {
	Owner  string   // empty if unknown
	Groups []string // of an authenticated identity only
	Link   Link     // of a valid share link; the zero Link for none
}

// Access returns the access of a caller to the node of the path. The owner may write. A permission of a node, or a
// link to it, covers everything below it. Only the owner has access to nodes in the trash, and no caller has access to
// nodes that are being erased.
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

// Visible returns the part of the path that the caller may read: from the node up to the topmost ancestor whose
// permissions let the caller read it.
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

// valid returns a copy of the links that have not expired.
func (p Permissions) valid(now time.Time) []int64 {
	return slices.DeleteFunc(slices.Clone(p.Links), func(expires int64) bool { return expires <= now.Unix() })
}

// Readable reads the path of a node that the caller may read. It returns lifecycle.ErrNotFound for other nodes.
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

// Writable is like Readable for a node that the caller wants to change. It returns ErrForbidden if the caller may
// only read it.
func (s *Store) Writable(ctx context.Context, id string, c Caller) (Path, error) {
	path, err := s.Readable(ctx, id, c)
	if err == nil && path.Access(c) != MayWrite {
		return nil, ErrForbidden
	}
	return path, err
}

// Share replaces the permissions of a node. Links remain valid. Errors are those of edits, ErrTrashed and
// ErrPrincipals.
func (s *Store) Share(ctx context.Context, id string, public bool, users, groups []string, e Edit) (Node, error) {
	users, groups = principals(users), principals(groups)
	if len(users)+len(groups) > MaxPrincipals {
		return Node{}, ErrPrincipals
	}
	return s.change(ctx, "share", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		n.Permissions.IsPublic, n.Permissions.Users, n.Permissions.Groups = public, users, groups
		return n, nil, changeable(n)
	})
}

// AddLink records a link to a node with its expiry time, so that Links.List returns it. Errors are those of edits,
// ErrTrashed, ErrRoot and ErrLinks.
func (s *Store) AddLink(ctx context.Context, id string, expires time.Time, e Edit) (Node, error) {
	now := s.now()
	return s.change(ctx, "addLink", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		links := n.Permissions.valid(now)
		if slices.Contains(links, expires.Unix()) {
			return n, nil, changeable(n)
		}
		if len(links) >= MaxLinks {
			return n, nil, ErrLinks
		}
		n.Permissions.Links = append(links, expires.Unix())
		return n, nil, changeable(n)
	})
}

// RevokeLinks makes all links to a node invalid. Errors are those of edits, and ErrTrashed.
func (s *Store) RevokeLinks(ctx context.Context, id string, e Edit) (Node, error) {
	return s.change(ctx, "revokeLinks", id, e, func(n Node) (Node, []types.TransactWriteItem, error) {
		n.Permissions.Epoch++
		n.Permissions.Links = nil
		return n, nil, changeable(n)
	})
}

// principals returns the names sorted, without duplicates and empty strings.
func principals(names []string) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	slices.Sort(names)
	return slices.Compact(names)
}
