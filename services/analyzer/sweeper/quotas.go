package sweeper

import (
	"context"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/quota"
)

// Codes of findings about quotas.
const (
	uncountedItem  = "uncounted_item"  // an item that is not counted toward the quotas of its owner, or counted with a wrong size; corrected
	countedNothing = "counted_nothing" // quota used by an item that does not exist; released
)

// Counting compares the items of an area with the items counted toward quotas.
type Counting struct {
	Quotas *quota.Quotas
	Area   string
	// Exist returns the ids whose items exist. The read is strongly consistent.
	Exist func(ctx context.Context, ids []string) (map[string]bool, error)

	owners map[string]bool // the owners whose items are counted
}

// Countable is an item read by a sweep.
type Countable struct {
	quota.ID
	Bytes   int64 // negative if the item does not store its size
	Created time.Time
	// Size returns the size in bytes of an uncounted item that does not store it. Optional.
	Size func(context.Context) (int64, error)
}

// countedPage is the number of rows of an owner in one page.
const countedPage = 100

// Sweep releases the quota used by items that do not exist. It must run before Items.
func (c *Counting) Sweep(ctx context.Context, r *Run) error {
	owners, err := c.Quotas.Owners(ctx)
	if c.owners = owners; err != nil || len(owners) == 0 {
		return err
	}
	return r.walkOwners(ctx, "quotas", c.Quotas.NextOwner, func(ctx context.Context, owner, after string) (last string, read int, err error) {
		page, more, err := c.Quotas.Holdings(ctx, owner, c.Area, after, countedPage)
		if err != nil {
			return "", 0, err
		}
		if more {
			last = page[len(page)-1].ID
		}
		return last, len(page) + 1, c.release(ctx, r, owner, page)
	})
}

// walkOwners is like Walk, for rows of owners. next returns the owner after another one, as NextOwner of quotas does. page checks the
// rows of an owner after the one with an id, and returns the id of the last row if there are more.
func (r *Run) walkOwners(ctx context.Context, name string, next func(ctx context.Context, after string) (string, error),
	page func(ctx context.Context, owner, after string) (last string, read int, err error),
) error {
	return r.Walk(ctx, name, func(ctx context.Context, cursor string) (string, int, error) {
		owner, after, _ := strings.Cut(cursor, "#")
		if after == "" { // all rows of the owner have been read
			var err error
			if owner, err = next(ctx, owner); err != nil || owner == "" {
				return "", 1, err
			}
		}
		last, read, err := page(ctx, owner, after)
		if err != nil {
			return "", 0, err
		}
		if last != "" {
			owner += "#" + last
		}
		return owner, read, nil
	})
}

func (c *Counting) release(ctx context.Context, r *Run, owner string, page []quota.Holding) error {
	var ids []string
	for _, h := range page {
		if !r.Young(h.At) {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	exist, err := c.Exist(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !exist[id] {
			r.Found(ctx, countedNothing, id, func(ctx context.Context) error { return c.Quotas.Erased(ctx, owner, c.Area, id) })
		}
	}
	return nil
}

// Items corrects the counts of items that are not counted, or are counted with a wrong size, for owners
// with quotas.
func (c *Counting) Items(ctx context.Context, r *Run, items []Countable) error {
	var ids []quota.ID
	var counted []Countable
	for _, item := range items {
		if c.owners[item.Owner] && !r.Young(item.Created) {
			ids, counted = append(ids, item.ID), append(counted, item)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := c.Quotas.Counted(ctx, c.Area, ids)
	if err != nil {
		return err
	}
	for _, item := range counted {
		holding, exists := found[item.ID]
		if exists && (item.Bytes < 0 || item.Bytes == holding.Bytes) {
			continue
		}
		r.Found(ctx, uncountedItem, item.ID.ID, func(ctx context.Context) error { return c.count(ctx, item) })
	}
	return nil
}

func (c *Counting) count(ctx context.Context, item Countable) error {
	if item.Bytes < 0 && item.Size != nil {
		var err error
		if item.Bytes, err = item.Size(ctx); err != nil {
			return err
		}
	}
	err := c.Quotas.Count(ctx, item.Owner, quota.Item{Area: c.Area, ID: item.ID.ID, Bytes: item.Bytes})
	if err != nil {
		return err
	}
	exist, err := c.Exist(ctx, []string{item.ID.ID})
	if err == nil && !exist[item.ID.ID] { // deleted concurrently
		err = c.Quotas.Erased(ctx, item.Owner, c.Area, item.ID.ID)
	}
	return err
}
