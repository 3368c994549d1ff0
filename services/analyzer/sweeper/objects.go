package sweeper

import (
	"context"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
)

// Objects is the part of a bucket that belongs to a table.
type Objects interface {
	// List reads a page of the objects. The cursor is the last key of the previous page.
	List(ctx context.Context, cursor string) (objects []blob.Object, more bool, err error)
	// Orphans compares objects with the items that they belong to.
	Orphans(ctx context.Context, r *Run, objects []blob.Object) (Comparison, error)
	// Remove deletes an orphan, unless its item has been created since the listing.
	Remove(ctx context.Context, key string) error
}

// Comparison is the result of comparing objects with items.
type Comparison struct {
	Compared int      // number of objects that are old enough to be orphans, including those with an item
	Orphans  []string // keys of the objects that belong to no item
	Read     int      // number of items read
}

// orphanObjects are objects that belong to no item.
var orphanObjects = Orphans{OrphanObject, "objects belong to no item"}

// WalkObjects walks over the objects only. name identifies the walk within its area.
func WalkObjects(ctx context.Context, r *Run, name string, objects Objects) error {
	return r.Walk(ctx, name, func(ctx context.Context, cursor string) (string, int, error) {
		return sweepObjects(ctx, r, objects, cursor)
	})
}

// sweepObjects sweeps a page of the bucket.
func sweepObjects(ctx context.Context, r *Run, o Objects, cursor string) (next string, read int, err error) {
	objects, more, err := o.List(ctx, cursor)
	if err != nil {
		return "", 0, err
	}
	found, err := o.Orphans(ctx, r, objects)
	if err != nil {
		return "", 0, err
	}
	orphans, err := stillListed(ctx, o, cursor, found.Orphans)
	if err != nil {
		return "", 0, err
	}
	r.Compared(orphanObjects, found.Compared)
	for _, object := range objects {
		if slices.Contains(orphans, object.Key) {
			r.Orphan(orphanObjects, object.Key, func(ctx context.Context) (bool, error) {
				found, err := o.Orphans(ctx, r, []blob.Object{object})
				return len(found.Orphans) > 0, err
			}, func(ctx context.Context) error { return o.Remove(ctx, object.Key) })
		}
	}
	if more {
		next = objects[len(objects)-1].Key
	}
	return next, len(objects) + found.Read, nil
}

// stillListed returns the orphans that are still listed when their page is read again. It excludes the
// objects of items that were deleted after the first read.
func stillListed(ctx context.Context, o Objects, cursor string, orphans []string) ([]string, error) {
	if len(orphans) == 0 {
		return nil, nil
	}
	objects, _, err := o.List(ctx, cursor)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(orphans, func(key string) bool {
		return !slices.ContainsFunc(objects, func(object blob.Object) bool { return object.Key == key })
	}), nil
}
