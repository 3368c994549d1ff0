package linear

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// parallel calls f with the numbers below n, in any order on all processors, until ctx is done. It returns the cause of
// that.
func parallel(ctx context.Context, n int, f func(i int)) error {
	var next atomic.Int64
	var group errgroup.Group
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				f(i)
			}
		})
	}
	return group.Wait()
}
