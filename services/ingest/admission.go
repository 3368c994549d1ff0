package ingest

import (
	"context"
	"sync"
	"time"
)

// admission says whether new work may come in, from a look at the stream that
// is at most admissionAge old. What comes in between is refused by the stream
// itself.
type admission struct {
	full func(context.Context) (bool, error)

	mu     sync.Mutex
	looked time.Time
	was    bool
}

const admissionAge = time.Second

// closed says whether the stream of waiting work is full.
func (a *admission) closed(ctx context.Context) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.looked) < admissionAge {
		return a.was, nil
	}
	full, err := a.full(ctx)
	if err != nil {
		return false, err
	}
	a.was, a.looked = full, time.Now()
	return full, nil
}
