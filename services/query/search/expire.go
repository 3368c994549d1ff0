package search

import (
	"context"
	"time"
)

const (
	// expirePause is the pause between two checks for items beyond the limits of an index.
	expirePause = time.Minute
	// expireBatch is the number of items removed in one batch.
	expireBatch = 1000
)

// expire removes items beyond the limits of the source until ctx is done. It returns errors of the index.
func (f *follower) expire(ctx context.Context) error {
	if f.o.Source.Limits() == (Limits{}) {
		return nil
	}
	check := time.NewTicker(expirePause)
	defer check.Stop()
	for {
		for removed := expireBatch; removed == expireBatch; {
			var err error
			if removed, err = f.expireSome(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-check.C:
		}
	}
}

func (f *follower) expireSome(ctx context.Context) (int, error) {
	f.write.Lock()
	defer f.write.Unlock()
	return f.index.Expire(ctx, f.o.Source.Limits(), time.Now(), expireBatch)
}
