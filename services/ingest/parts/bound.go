package parts

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/blob"
)

// countFor is the time for which a count of open uploads is cached.
const countFor = 10 * time.Second

// bound limits the open uploads of a bucket. One owner may open at most half of them in this process. Several
// processes together can exceed the limit by the uploads that they open within countFor.
type bound struct {
	limit int
	// list returns the open uploads whose keys follow after.
	list func(ctx context.Context, prefix, after string) (uploads []blob.OpenUpload, more bool, err error)

	mu      sync.Mutex
	open    int                        // number of uploads at the last count, plus those opened by this process since
	counted time.Time                  // time of the last count
	owners  map[string]map[string]bool // keys of the uploads that each owner opened in this process
}

// enter counts a new upload. It returns *tooManyError if the limit is reached.
func (b *bound) enter(ctx context.Context, owner, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := func() bool { return b.open >= b.limit || len(b.owners[owner]) >= b.ofOwner() }
	if full() || time.Since(b.counted) >= countFor {
		if err := b.count(ctx); err != nil {
			return err
		}
	}
	if full() {
		return &tooManyError{limit: b.limit, ofOwner: b.ofOwner(), owners: b.open < b.limit}
	}
	b.open++
	if b.owners[owner] == nil {
		b.owners[owner] = map[string]bool{}
	}
	b.owners[owner][key] = true
	return nil
}

// ofOwner returns the maximum number of open uploads of one owner.
func (b *bound) ofOwner() int { return (b.limit + 1) / 2 }

// count counts the open uploads up to the limit, and removes uploads that have ended from owners.
func (b *bound) count(ctx context.Context) error {
	open, n, last := map[string]bool{}, 0, ""
	for more := true; more && n < b.limit; {
		var page []blob.OpenUpload
		var err error
		if page, more, err = b.list(ctx, "", last); err != nil {
			return err
		}
		n += len(page)
		for _, upload := range page {
			open[upload.Key] = true
		}
		if more {
			last = page[len(page)-1].Key
		}
	}
	b.open, b.counted = n, time.Now()
	if b.owners == nil {
		b.owners = map[string]map[string]bool{}
	}
	if b.open >= b.limit { // the list may be incomplete
		return nil
	}
	for owner, keys := range b.owners {
		maps.DeleteFunc(keys, func(key string, _ bool) bool { return !open[key] })
		if len(keys) == 0 {
			delete(b.owners, owner)
		}
	}
	return nil
}
