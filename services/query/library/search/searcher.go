package search

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
)

// readyWait limits how long a request waits for a version.
const readyWait = 5 * time.Second

// Version is a version of a node.
type Version struct {
	NodeID  string
	Version int64
}

// Await waits until the index has at least a version of a node. It returns ErrNotReady after readyWait.
func (s *Searcher) Await(ctx context.Context, v Version) error {
	over := time.NewTimer(readyWait)
	defer over.Stop()
	for {
		has, changed, err := s.has(ctx, v)
		if has || err != nil && !errors.Is(err, ErrNotReady) {
			return err
		}
		select {
		case <-changed:
		case <-over.C:
			return ErrNotReady
		case <-web.Draining(ctx):
			return ErrNotReady
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Searcher) has(ctx context.Context, v Version) (has bool, changed <-chan struct{}, err error) {
	index, changed, done, err := s.use()
	if err != nil {
		return false, changed, err
	}
	defer done()
	has, err = index.Has(ctx, v.NodeID, v.Version)
	return has, changed, err
}

// Found is a hit with its node, as read from the tables.
type Found struct {
	Node library.Node
	Hit
}

// Search returns the hits of a page that the caller may currently see. It reads each node and the folders above it
// from the tables. It can return ErrNotReady and ErrCursor.
func (s *Searcher) Search(ctx context.Context, q Query) ([]Found, Result, error) {
	index, _, done, err := s.use()
	if err != nil {
		return nil, Result{}, err
	}
	defer done()
	result, err := index.Search(ctx, q)
	if err != nil {
		return nil, result, err
	}
	ids := make([]string, len(result.Hits))
	for i, h := range result.Hits {
		ids[i] = h.ID
	}
	paths, err := s.o.Store.Paths(ctx, ids)
	var found []Found
	for _, h := range result.Hits {
		if path := paths[h.ID]; path != nil && path.Access(q.Caller) != library.NoAccess && !path.Trashed() {
			found = append(found, Found{path.Node(), h})
		}
	}
	return found, result, err
}

// Similar is a picture that looks the same as another, as read from the tables.
type Similar struct {
	Node     library.Node
	Distance int // of the hashes
}

// Similar returns the pictures of the owner of a file that look the same as it and that the caller may see, the nearest first.
// more reports whether the owner has more pictures than were compared. It can return ErrNotReady.
func (s *Searcher) Similar(ctx context.Context, id string, limit int, c library.Caller) (all []Similar, more bool, err error) {
	index, _, done, err := s.use()
	if err != nil {
		return nil, false, err
	}
	defer done()
	near, more, err := index.Similar(ctx, id, limit)
	if err != nil {
		return nil, false, err
	}
	ids := make([]string, len(near))
	for i, n := range near {
		ids[i] = n.ID
	}
	paths, err := s.o.Store.Paths(ctx, ids)
	for _, n := range near {
		if path := paths[n.ID]; path != nil && !path.Trashed() && path.Access(c) != library.NoAccess {
			all = append(all, Similar{path.Node(), n.Distance})
		}
	}
	return all, more, err
}

// List returns a page of a sorted list. It reads the nodes from the tables and omits those that the caller may
// not see or that are in the trash. It can return ErrNotReady and ErrCursor.
func (s *Searcher) List(ctx context.Context, l Listing, c library.Caller) (library.NodePage, error) {
	index, _, done, err := s.use()
	if err != nil {
		return library.NodePage{}, err
	}
	defer done()
	page, err := index.List(ctx, l)
	if err != nil {
		return library.NodePage{}, err
	}
	paths, err := s.o.Store.Paths(ctx, page.IDs)
	listed := library.NodePage{NextCursor: page.Next}
	for _, id := range page.IDs {
		path := paths[id]
		if path == nil || path.Trashed() || path.Access(c) == library.NoAccess || l.Parent != "" && path.Node().ParentID != l.Parent {
			continue
		}
		listed.Nodes = append(listed.Nodes, path.Node())
	}
	return listed, err
}
