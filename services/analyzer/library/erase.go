package library

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
)

const (
	erasers    = 8 // the maximum number of children whose erasure is started concurrently
	erasePages = 2 // the maximum number of pages of children in one attempt
)

// erase deletes the open uploads, the objects and then the items of a node that is being erased. For a folder,
// it first starts the erasure of the children. A repeated call continues where the previous one stopped.
func (a *Area) erase(ctx context.Context, s *event.LibraryStep) error {
	n, err := a.store.Get(ctx, s.FileId)
	if err == nil && !n.Erasing() {
		err = a.orphaned(ctx, n)
	}
	if errors.Is(err, errNotErased) || errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	by := library.Edit{By: s.OwnerId}
	w, err := a.store.Erase(ctx, n.ID, by) // the operation that erases this node, or started the erasure of its folder
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if n.IsFolder() {
		err = a.eraseChildren(ctx, n.ID, by)
	} else if err = a.bucket.AbortAll(ctx, library.FilePrefix(n.ID)); err == nil {
		err = a.deleteAll(ctx, library.FilePrefix(n.ID))
	}
	if err != nil {
		return err
	}
	err = a.store.Erased(ctx, w)
	if errors.Is(err, library.ErrNotEmpty) { // the list was outdated, or a child was created concurrently
		return bus.Later(err, a.worker.Config.Lease/3)
	}
	if err != nil {
		return err
	}
	return a.quotas.Erased(ctx, n.OwnedBy, library.Name, n.ID)
}

// errNotErased means that neither a node nor its folder is being erased.
var errNotErased = errors.New("the node is not being erased")

// orphaned returns nil for a node whose folder is being erased or does not exist, and errNotErased otherwise.
func (a *Area) orphaned(ctx context.Context, n library.Node) error {
	folder, err := a.store.Get(ctx, n.ParentID)
	if errors.Is(err, lifecycle.ErrNotFound) && !n.IsDeleted && n.ParentID != library.RootID(n.OwnedBy) || err == nil && folder.Erasing() {
		return nil
	}
	return cmp.Or(err, errNotErased)
}

// deleteAll deletes the objects whose keys begin with prefix, except the given pictures.
func (a *Area) deleteAll(ctx context.Context, prefix string, except ...library.Image) error {
	after := ""
	for {
		objects, more, err := a.bucket.List(ctx, prefix, after, blob.PageLimit)
		if err != nil {
			return err
		}
		for _, object := range objects {
			after = object.Key
			if slices.ContainsFunc(except, func(kept library.Image) bool { return kept.Key == object.Key }) {
				continue
			}
			if err := a.bucket.Delete(ctx, object.Key); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// errMore means that a folder has more children than one attempt erases.
var errMore = errors.New("the folder has more children")

// eraseChildren starts the erasure of the nodes in a folder. If the folder has more children than
// one attempt erases, it returns errMore, which requests an immediate redelivery.
func (a *Area) eraseChildren(ctx context.Context, folderID string, by library.Edit) error {
	cursor := ""
	for range erasePages {
		page, err := a.store.Children(ctx, folderID, library.Listing{Cursor: cursor})
		if err != nil {
			return err
		}
		var all errgroup.Group
		all.SetLimit(erasers)
		for _, child := range page.Nodes {
			all.Go(func() error {
				if err := a.bus.Ensure(ctx, child.EraseFirst()); err != nil {
					return err
				}
				_, err := a.store.Erase(ctx, child.ID, by)
				if errors.Is(err, lifecycle.ErrNotFound) {
					return nil
				}
				return err
			})
		}
		if err := all.Wait(); err != nil {
			return err
		}
		if cursor = page.NextCursor; cursor == "" {
			return nil
		}
	}
	return bus.Later(errMore, 0)
}
