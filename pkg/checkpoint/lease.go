package checkpoint

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Lease is the right to process a log. A holder that does not write for the duration of the lease can
// lose it; its next write then returns ErrLost. A Lease is not safe for concurrent use.
type Lease struct {
	store    *Store
	log      string
	token    string
	position Position
}

// Position returns the position that was last passed to Save by any holder.
func (l *Lease) Position() Position { return l.position }

// Save stores the position and renews the lease. It returns ErrLost, and writes nothing, if another
// holder has the lease. After any other error, Save or Release can be called again.
func (l *Lease) Save(ctx context.Context, at Position) error {
	l.position = at
	return l.write(ctx, position(at))
}

// Renew renews the lease. It returns ErrLost if another holder has the lease.
func (l *Lease) Renew(ctx context.Context) error { return l.write(ctx, expression.UpdateBuilder{}) }

// releaseWait limits the time to release a log, which happens even after ctx is done.
const releaseWait = 2 * time.Second

// Release saves the position again, because a canceled Save may not have stored it, and frees the
// log for the next holder, even after ctx is done. A lost lease need not be released.
func (l *Lease) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWait)
	defer cancel()
	err := l.write(ctx, position(l.position).Remove(holder))
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

func position(at Position) expression.UpdateBuilder {
	update := expression.Set(expression.Name("position"), expression.Value(at.After)).Set(expression.Name("done"), expression.Value(at.Done))
	if at.Stream != "" {
		update = update.Set(expression.Name("stream"), expression.Value(at.Stream))
	}
	return update
}

func (l *Lease) write(ctx context.Context, update expression.UpdateBuilder) error {
	_, err := l.store.write(ctx, l.log, holder.Equal(expression.Value(l.token)), update)
	if _, lost := errors.AsType[*types.ConditionalCheckFailedException](err); lost {
		return ErrLost
	}
	return err
}

// renewals is the maximum number of renewals by Keep, which renews a lease three times in its duration.
// Work that takes longer than ten lease durations may hang, so Keep then lets another process take over the log.
const renewals = 30

// Keep calls work and renews the lease until work returns, for at most ten lease durations.
// When the lease is lost, Keep cancels the context of work and returns ErrLost. Otherwise
// it returns the error of work.
func (l *Lease) Keep(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(l.store.lease / 3)
		defer tick.Stop()
		for range renewals {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// Other errors are ignored: they are temporary, or recur at the next write.
			if err := l.Renew(ctx); errors.Is(err, ErrLost) {
				cancel(err)
				return
			}
		}
	})
	err := work(ctx)
	cancel(nil)
	renewing.Wait()
	if errors.Is(context.Cause(ctx), ErrLost) {
		return ErrLost
	}
	return err
}
