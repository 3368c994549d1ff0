package analyzer

import (
	"context"
	"fmt"

	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// suspicious is how many objects of a page may belong to nothing; when more than
// these and more than half of the page do, it is rather the table that is the
// wrong one, or lost, and nothing is deleted.
const suspicious = 10

// removeStrays reports the objects of a page that belong to nothing, and removes
// them unless they are suspiciously many.
func removeStrays(ctx context.Context, r *sweeper.Run, found string, stray []string, page int, remove func(context.Context, string) error) {
	for _, key := range stray {
		if len(stray) > suspicious && len(stray) > page/2 {
			r.Found(ctx, found+", suspiciously", key, func(context.Context) error {
				return fmt.Errorf("%d of %d objects have none: is this the bucket of this table? Nothing was deleted", len(stray), page)
			})
			continue
		}
		r.Found(ctx, found, key, func(ctx context.Context) error { return remove(ctx, key) })
	}
}
