package library

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// objects implements sweeper.Objects for the library.
type objects sweep

func (s objects) List(ctx context.Context, cursor string) ([]blob.Object, bool, error) {
	return s.bucket.List(ctx, library.ObjectPrefix, cursor, blob.PageLimit)
}

// Orphans returns the old objects of files that do not exist, and deletes old results of earlier runs.
func (s objects) Orphans(ctx context.Context, r *sweeper.Run, page []blob.Object) (found sweeper.Comparison, err error) {
	var last library.File // objects of the same file are adjacent
	exists := false
	for _, object := range page {
		id, run, err := library.ParseKey(object.Key)
		if err != nil || !r.Old(object.Modified) {
			continue // not an object of this area, or a recent one
		}
		if id != last.ID {
			found.Read++
			last, err = s.store.File(ctx, id)
			exists = err == nil
			if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
				return found, err
			}
			last.ID = id
		}
		found.Compared++
		switch {
		case !exists:
			found.Orphans = append(found.Orphans, object.Key)
		case !uses(last, object.Key, run):
			r.Found(ctx, outdatedObject, object.Key, func(ctx context.Context) error { return s.Remove(ctx, object.Key) })
		}
	}
	return found, nil
}

// uses reports whether a file uses an object of a run. Run 0 means an upload.
func uses(f library.File, key string, run int64) bool {
	if run == 0 {
		return key == f.Key
	}
	return run == f.Run || slices.ContainsFunc(f.Images, func(kept library.Image) bool { return kept.Key == key })
}

func (s objects) Remove(ctx context.Context, key string) error { return s.bucket.Delete(ctx, key) }
