package wasm

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/extract/reason"
)

const (
	// intervals is the number of intervals that WithTime divides a limit into.
	intervals = 50
	// starved is the factor by which a limit extends at most while other processes use the processors.
	starved = 4
)

// WithTime returns a context that ends with the cause ErrTime after a limit; 0 means no limit. A document is not slow when
// nothing runs: a pause of the whole process, for example by SIGSTOP or a suspended machine, does not count, and an
// interval in which the process received less processor time counts less, down to a quarter. The caller must call
// cancel.
func WithTime(ctx context.Context, limit time.Duration) (_ context.Context, cancel context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	cancel = func() { end(nil) }
	if limit <= 0 {
		return ctx, cancel
	}
	interval := max(limit/intervals, 1)
	tick := time.NewTicker(interval) // drops ticks that nobody receives
	go func() {
		defer tick.Stop()
		used := processorTime()
		for left := limit; left > 0; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			now := processorTime()
			left -= min(max(now-used, interval/starved, 1), interval)
			used = now
		}
		end(ErrTime.With(reason.TimeLimit, limit))
	}()
	return ctx, cancel
}
