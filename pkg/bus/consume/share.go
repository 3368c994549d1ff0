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

	mu    sync.Mutex
	held  map[string]int
	freed chan struct{} // closed and replaced when a delivery ends
}

func newShares(most int) *shares {
	return &shares{most: most, held: map[string]int{}, freed: make(chan struct{})}
}

// acquire waits up to shareWait until a delivery of the tenant may be handled, and returns a function that ends it, or
// else errShare, which delays the delivery. The empty tenant has no limit.
func (s *shares) acquire(ctx context.Context, tenant string) (release func(), err error) {
	if tenant == "" {
		return func() {}, nil
	}
	wait, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	for {
		freed := s.try(tenant)
		if freed == nil {
			return func() { s.release(tenant) }, nil
		}
		select {
		case <-freed:
		case <-wait.Done():
			return nil, bus.Later(errShare, shareDelay)
		}
	}
}

// try counts a delivery and returns nil, or a channel that is closed when a delivery has ended.
func (s *shares) try(tenant string) (freed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[tenant] >= s.most {
		return s.freed
	}
	s.held[tenant]++
	return nil
}

func (s *shares) release(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[tenant]--; s.held[tenant] == 0 {
		delete(s.held, tenant)
	}
	close(s.freed)
	s.freed = make(chan struct{})
}
