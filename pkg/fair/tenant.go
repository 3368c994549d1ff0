package fair

import (
	"context"
	"sync"
	"time"
)

// first is the number of queued messages of a tenant with the highest
// priority.
const first = 8

const (
	// askPause and askPausePer limit how often the server counts the messages of a tenant, because
	// its response lists each subject in about 80 bytes.
	askPause    = 20 * time.Millisecond
	askPausePer = 100 * time.Microsecond
	askMost     = 5 * time.Second
	askTimeout  = 3 * time.Second
	// maxTenants is the maximum number of tenants in memory, each in about 150 bytes.
	maxTenants = 10_000
	quiet      = time.Minute
)

// tenant is the estimated backlog of a tenant: the server's last count plus the messages that this
// process has published since. It does not subtract messages that were completed since.
type tenant struct {
	mu      sync.Mutex // locked while the server is queried, so that only one caller queries it
	waiting int64
	asked   time.Time

	used time.Time // guarded by tenants.mu
}

// tenants are the estimates of all tenants.
type tenants struct {
	limit   int64 // maximum number of queued messages of one tenant; 0 for no limit
	count   func(ctx context.Context, tenant string) (int64, error)
	backlog *backlog // backlog of all tenants

	mu  sync.Mutex
	all map[string]*tenant
}

func newTenants(limit int64, count func(context.Context, string) (int64, error), all *backlog) *tenants {
	return &tenants{limit: limit, count: count, backlog: all, all: map[string]*tenant{}}
}

// refresh corrects an estimate that affects a priority or a rejection. The total backlog is an
// upper bound and is queried first: it is one number for all tenants, and small while the workers
// keep up.
func (s *tenants) refresh(ctx context.Context, name string, t *tenant) {
	if !s.matters(t) || time.Since(t.asked) < min(askPause+time.Duration(t.waiting)*askPausePer, askMost) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout) // other callers use the response too
	defer cancel()
	if all, err := s.backlog.read(ctx, freshAge); err == nil {
		t.waiting = min(t.waiting, all)
	}
	if !s.matters(t) {
		return
	}
	if waiting, err := s.count(ctx, name); err == nil {
		t.waiting = waiting
	}
	t.asked = time.Now()
}

// matters reports whether an estimate is high enough to lower a priority or to reject
// work.
func (s *tenants) matters(t *tenant) bool {
	return t.waiting >= first || s.limit > 0 && t.waiting >= s.limit
}

// get returns the estimate of a tenant. It drops idle tenants if there are too many, and all
// tenants if too many are active.
func (s *tenants) get(name string) *tenant {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	t := s.all[name]
	if t == nil {
		if len(s.all) >= maxTenants {
			for other, o := range s.all {
				if now.Sub(o.used) > quiet {
					delete(s.all, other)
				}
			}
			if len(s.all) >= maxTenants {
				clear(s.all)
			}
		}
		t = &tenant{}
		s.all[name] = t
	}
	t.used = now
	return t
}
