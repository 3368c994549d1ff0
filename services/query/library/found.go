package library

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
	"github.com/assay-project/assay/services/query/search"
)

// found is a hit with its node, as read from the tables.
type found struct {
	Node library.Node
	search.Hit
}

// find returns the hits of a page that the caller may currently see. It reads each node and the folders above it
// from the tables. It can return search.ErrNotReady and search.ErrCursor.
func (a *Area) find(ctx context.Context, q search.Query, c library.Caller) ([]found, search.Result, error) {
	q.Caller = search.Caller{Owner: c.Owner, Groups: c.Groups}
	result, err := a.searcher.Search(ctx, q)
	if err != nil {
		return nil, result, err
	}
	nodes, err := a.seen(ctx, result.IDs(), c)
	var all []found
	for _, h := range result.Hits {
		if n, ok := nodes[h.ID]; ok {
			all = append(all, found{n, h})
		}
	}
	if err == nil && q.Boxes {
		err = a.addBoxes(ctx, all)
	}
	return all, result, err
}

// seen reads those of the nodes from the tables that the caller may see and that are not in the trash.
func (a *Area) seen(ctx context.Context, ids []string, c library.Caller) (map[string]library.Node, error) {
	paths, err := a.store.Paths(ctx, ids)
	nodes := map[string]library.Node{}
	for _, id := range ids {
		if path := paths[id]; path != nil && !path.Trashed() && path.Access(c) != library.NoAccess {
			nodes[id] = path.Node()
		}
	}
	return nodes, err
}

// Find returns the nodes that match and that the caller may see.
func (a *Area) Find(ctx context.Context, q search.Query, c web.Caller) (find.Page, error) {
	nodes, result, err := a.find(ctx, q, libraryCaller(c))
	page := find.PageOf(result)
	for _, f := range nodes {
		page.Hits = append(page.Hits, find.Hit{Hit: f.Hit, Name: f.Node.Name, URL: "/v1/library/nodes/" + f.Node.ID, Status: string(f.Node.Status), Created: f.Node.Created()})
	}
	return page, err
}

// Indexed waits until the search index has a node.
func (a *Area) Indexed(ctx context.Context, id string, c web.Caller) error {
	path, err := a.store.Readable(ctx, id, libraryCaller(c))
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && path.Node().Version == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return a.searcher.Await(ctx, search.Version{ID: path.Node().ID, Version: path.Node().Version})
}
