package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/webhook"
)

// gather is the time for which a read of an owner's endpoints waits for others. It limits the reads of an owner with many
// events.
const gather = 20 * time.Millisecond

// readTime is the timeout of a read.
const readTime = 10 * time.Second

// registered is an endpoint with its health.
type registered struct {
	webhook.Endpoint
	health webhook.Health
}

// registry reads the endpoints of owners. What it returns was read after the call, so that an endpoint receives the events
// after its registration; concurrent calls share a read.
type registry struct {
	endpoints *webhook.Endpoints
	mu        sync.Mutex
	next      map[string]*read // by owner: the read that has not begun
}

type read struct {
	done chan struct{} // closed when all and err are set
	all  []registered
	err  error
}

func newRegistry(endpoints *webhook.Endpoints) *registry {
	return &registry{endpoints: endpoints, next: map[string]*read{}}
}

// of returns the endpoints of an owner.
func (r *registry) of(ctx context.Context, owner string) ([]registered, error) {
	r.mu.Lock()
	joined := r.next[owner]
	if joined == nil {
		joined = &read{done: make(chan struct{})}
		r.next[owner] = joined
		go r.read(context.WithoutCancel(ctx), owner, joined)
	}
	r.mu.Unlock()
	select {
	case <-joined.done:
		return joined.all, joined.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *registry) read(ctx context.Context, owner string, result *read) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	defer close(result.done)
	<-time.After(gather)
	r.mu.Lock()
	delete(r.next, owner)
	r.mu.Unlock()
	all, err := r.endpoints.List(ctx, owner)
	if err != nil || len(all) == 0 {
		result.err = err
		return
	}
	healths, err := r.endpoints.Healths(ctx, owner)
	for _, e := range all {
		result.all = append(result.all, registered{e, healths[e.ID]})
	}
	result.err = err
}
