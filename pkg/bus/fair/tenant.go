package fair

import (
	"context"
	"sync"
	"time"
)

const (
	// askPause and askPausePer bound how often the server counts the messages of a
	// tenant: it names each subject in its answer, about 80 bytes.
	askPause    = 20 * time.Millisecond
	askPausePer = 100 * time.Microsecond
	askMost     = 5 * time.Second
	askTimeout  = 3 * time.Second
	// freshAge is how old the backlog of all may be that bounds that of a tenant.
	freshAge = 50 * time.Millisecond
	// maxTenants is how many tenants are remembered, each in about 150 bytes.
	maxTenants = 10_000
	quiet      = time.Minute
)

// tenant is the estimated backlog of a tenant: what the server counted last, and what
// this process has published since. It is too high by what was done since.
type tenant struct {
	mu      sync.Mutex // held while the server is asked, so that one caller asks
	waiting int64
	asked   time.Time

	used time.Time // guarded by Queue.mu
}

// refresh corrects an estimate that decides about a priority or a refusal. What all
// tenants have waiting bounds it, and is asked for first: it is one number for all of
// them, and small while the workers keep up.
func (q *Queue) refresh(ctx context.Context, name string, t *tenant) {
	if !q.matters(t) || time.Since(t.asked) < min(askPause+time.Duration(t.waiting)*askPausePer, askMost) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout) // the answer is for others too
	defer cancel()
	if all, err := q.backlog.read(ctx, freshAge); err == nil {
		t.waiting = min(t.waiting, all)
	}
	if !q.matters(t) {
		return
	}
	if waiting, err := q.of(ctx, name); err == nil {
		t.waiting = waiting
	}
	t.asked = time.Now()
}

// matters reports whether an estimate is high enough to lower a priority or to refuse.
func (q *Queue) matters(t *tenant) bool {
	return t.waiting >= first || q.limits.PerTenant > 0 && t.waiting >= q.limits.PerTenant
}

// tenant returns the estimate of a tenant. It forgets quiet tenants when there are too
// many, and all of them when there are too many at once.
func (q *Queue) tenant(name string) *tenant {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	t := q.tenants[name]
	if t == nil {
		if len(q.tenants) >= maxTenants {
			for other, o := range q.tenants {
				if now.Sub(o.used) > quiet {
					delete(q.tenants, other)
				}
			}
			if len(q.tenants) >= maxTenants {
				clear(q.tenants)
			}
		}
		t = &tenant{}
		q.tenants[name] = t
	}
	t.used = now
	return t
}
