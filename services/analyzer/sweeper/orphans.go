package sweeper

import (
	"context"
	"fmt"
)

// suspiciousOrphans is how many objects of a page may be orphans before the page is
// suspicious: when more than these and more than half of the page are, the bucket
// and the table probably do not belong together, and nothing is deleted.
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
