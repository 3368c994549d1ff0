package sweeper

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
)

// suspiciousOrphans is the number of orphans in a page of objects above which the page is
// suspicious, if they are also more than half of the page. The bucket and the table then probably
// do not belong together, and nothing is deleted.
const suspiciousOrphans = 10

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

// removeOrphans reports the objects of a page that belong to no item, and deletes them unless there
// are suspiciously many.
func removeOrphans(ctx context.Context, r *Run, orphans []string, page int, remove func(context.Context, string) error) {
	for _, key := range orphans {
		if len(orphans) > suspiciousOrphans && len(orphans) > page/2 {
			r.Found(ctx, SuspiciousOrphan, key, func(context.Context) error {
				return fmt.Errorf("%d of %d objects belong to no item, so nothing was deleted: check that the bucket and the table belong together", len(orphans), page)
			})
			continue
		}
		r.Found(ctx, OrphanObject, key, func(ctx context.Context) error { return remove(ctx, key) })
	}
}
