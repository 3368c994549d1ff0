package consume

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

const (
	// shareWait is how long a delivery of a tenant that uses its share waits for one of the tenant's other deliveries
	// to end. Most take less, so returned deliveries are rare.
	shareWait = 250 * time.Millisecond
	// shareDelay is the redelivery delay of a delivery that waited in vain. Until then the worker receives those of
	// other tenants.
	shareDelay = time.Second
)

// errShare is the reason for which a delivery is returned.
var errShare = errors.New("the owner uses its share of the workers")

// shares limits the deliveries of each tenant that a process handles concurrently, so that the deliveries of one
// tenant never occupy all workers. It is safe for concurrent use.
type shares struct {
	most int

	mu sync.Mutex
	of map[string]*share
}

// share is the share of a tenant that has deliveries.
type share struct {
	slots chan struct{} // a semaphore
	users int           // deliveries that have a slot or wait for one
}

// acquire waits up to shareWait until a delivery of the tenant may be handled, and returns a function that ends it, or
// else errShare, which delays the delivery. The empty tenant has no limit.
func (s *shares) acquire(ctx context.Context, tenant string) (release func(), err error) {
	if tenant == "" {
		return func() {}, nil
	}
	wait, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	s.mu.Lock()
	t := s.of[tenant]
	if t == nil {
		t = &share{slots: make(chan struct{}, s.most)}
		s.of[tenant] = t
	}
	t.users++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(s.of, tenant)
		}
	}
	select {
	case t.slots <- struct{}{}:
		return func() { <-t.slots; leave() }, nil
	case <-wait.Done():
		leave()
		return nil, bus.Later(errShare, shareDelay)
	}
}
