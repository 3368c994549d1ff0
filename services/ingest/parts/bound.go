package parts

import (
	"context"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/blob"
)

// countFor is how long a count of the open uploads is used.
const countFor = 10 * time.Second

// bound limits the open uploads of a bucket. Several processes may exceed it together by those that they open
// within countFor.
type bound struct {
	limit  int
	bucket *blob.Store

	mu      sync.Mutex
	open    int // when counted, and those opened here since
	counted time.Time
}

// enter counts one more upload. It returns *tooManyError.
func (b *bound) enter(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open >= b.limit || time.Since(b.counted) >= countFor {
		if err := b.count(ctx); err != nil {
			return err
		}
	}
	if b.open >= b.limit {
		return &tooManyError{b.limit}
	}
	b.open++
	return nil
}

// count counts the open uploads up to the limit.
func (b *bound) count(ctx context.Context) error {
	open, last := 0, ""
	for more := true; more && open < b.limit; {
		var page []blob.OpenUpload
		var err error
		if page, more, err = b.bucket.OpenUploads(ctx, "", last); err != nil {
			return err
		}
		if open += len(page); more {
			last = page[len(page)-1].Key
		}
	}
	b.open, b.counted = open, time.Now()
	return nil
}
