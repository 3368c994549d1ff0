// Package budget bounds the memory that the parsers of a process use together. A parser reserves the most that it can
// use before it starts: an amount that follows from the size of its input, or a limit that it enforces by counting.
package budget

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// ErrTooLarge means that a parser needs more than the whole budget. It is permanent.
const ErrTooLarge = reason.DocumentMemory

// Budget is an amount of memory in bytes that parsers share. It is safe for concurrent use.
type Budget struct {
	total int64
	free  *semaphore.Weighted
	used  atomic.Int64
}

// New returns a budget of total bytes.
func New(total int64) *Budget { return &Budget{total: total, free: semaphore.NewWeighted(total)} }

// Reserve waits until n bytes are free, and reserves them until release is called. Requests are served in order. It
// returns ErrTooLarge if n exceeds the budget, and the error of ctx.
//
// A holder of a reservation must not wait for another one: both could wait forever.
func (b *Budget) Reserve(ctx context.Context, n int64) (release func(), err error) {
	if n > b.total {
		return nil, ErrTooLarge.With(reason.MemoryLimit, n>>20, b.total>>20)
	}
	if err := b.free.Acquire(ctx, n); err != nil {
		return nil, context.Cause(ctx)
	}
	b.used.Add(n)
	return func() {
		b.used.Add(-n)
		b.free.Release(n)
	}, nil
}

// Total returns the bytes of the whole budget.
func (b *Budget) Total() int64 { return b.total }

// Used returns the bytes that are reserved.
func (b *Budget) Used() int64 { return b.used.Load() }
