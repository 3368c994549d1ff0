package sweeper

import (
	"context"
	"fmt"
)

// suspiciousOrphans is the number of orphans in a page of objects above which the
// page is suspicious, if they are also more than half of the page: the bucket and
// the table then probably do not belong together, and nothing is deleted.
const suspiciousOrphans = 10

// removeOrphans reports the objects of a page that belong to no item, and removes
// them unless there are suspiciously many.
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
