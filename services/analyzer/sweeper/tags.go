package sweeper

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/saved"
)

// tagsWithoutItem is the code of a finding: tags of an item that has not existed for tagsKept; removed.
const tagsWithoutItem = "tags_without_item"

const (
	// tagsKept is the time between the walk that first misses an item and the removal of its tags, because owners gave them, and
	// an item may be missing only until a table is restored.
	tagsKept = 30 * 24 * time.Hour
	// tagsPage is the number of tagged items of an owner in one page.
	tagsPage = 100
)

// Tags removes the tags, of all owners, of items of the area that do not exist any more, and what else is kept about these items. exist
// returns the ids whose items exist; its reads are strongly consistent.
func (r *Run) Tags(ctx context.Context, exist func(ctx context.Context, ids []string) (map[string]bool, error)) error {
	tags := r.sweeper.tags
	if tags == nil {
		return nil
	}
	return r.walkOwners(ctx, "tags", tags.NextOwner, func(ctx context.Context, owner, after string) (last string, read int, err error) {
		page, more, err := tags.Page(ctx, owner, r.area, after, tagsPage)
		if err != nil {
			return "", 0, err
		}
		if more {
			last = page[len(page)-1].ID
		}
		return last, 2*len(page) + 1, r.checkTags(ctx, owner, page, exist) // each item is read too
	})
}

func (r *Run) checkTags(ctx context.Context, owner string, page []saved.Swept, exist func(ctx context.Context, ids []string) (map[string]bool, error)) error {
	var ids []string
	for _, t := range page {
		if !r.Young(t.Changed) {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	existing, err := exist(ctx, ids)
	if err != nil {
		return err
	}
	for _, t := range page {
		err = nil
		switch {
		case r.Young(t.Changed):
		case existing[t.ID] && !t.Missing.IsZero() && !r.DryRun:
			err = r.sweeper.tags.SetMissing(ctx, owner, t.Item, time.Time{})
		case existing[t.ID]:
		case t.Missing.IsZero() && !r.DryRun:
			err = r.sweeper.tags.SetMissing(ctx, owner, t.Item, r.now)
		case !t.Missing.IsZero() && r.Older(t.Missing, tagsKept):
			r.Found(ctx, tagsWithoutItem, t.ID, func(ctx context.Context) error { return r.sweeper.tags.Forget(ctx, owner, t.Item) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
