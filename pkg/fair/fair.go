// Package fair orders the messages of many tenants in one queue and decides which are
// admitted.
//
// A queue delivers in the order of its messages, so a message behind ten thousand of another tenant
// would wait for all of them. Messages are therefore stored with a priority: the first few queued
// messages of a tenant have the highest, the next few dozen the second, and so on. Workers serve
// all priorities in turn, the higher ones more often. Many messages of one tenant delay at most a
// few messages of the others.
package fair

import (
	"context"
	"errors"
	"fmt"
)

// Priorities is the number of priorities. 0 is the highest.
const Priorities = 4

// ends is the number of queued messages of a tenant up to which each priority
// applies; the lowest has no limit.
var ends = [Priorities - 1]int64{first, 64, 512}

// Turn returns the priority served at the n-th turn.
func Turn(n uint32) int {
	turns := [8]int{0, 1, 0, 2, 0, 1, 0, 3}
	return turns[n%uint32(len(turns))]
}

var (
	// ErrFull reports that the queue is full: either for all, or for tenants with
	// several queued messages.
	ErrFull = errors.New("too much work is queued")
	// ErrTenantFull reports that one tenant has reached its limit of queued
	// messages.
	ErrTenantFull = errors.New("too much work of one tenant is queued")
	// ErrBacklogUnknown reports that the server did not return the backlog.
	ErrBacklogUnknown = errors.New("the backlog is unknown")
)

// crowded is the backlog, as a fraction of the limit, above which only tenants with
// few queued messages are admitted.
const crowded = 0.9

// Limits are the limits of admission.
type Limits struct {
	Messages  int64 // maximum number of queued messages
	PerTenant int64 // maximum for one tenant; 0 for no limit
}

// Counts requests the counts of a queue from the server.
type Counts struct {
	All func(context.Context) (int64, error)
	// Of returns the number of queued messages of a tenant.
	Of func(ctx context.Context, tenant string) (int64, error)
}

// Queue estimates the backlog of a queue and of its tenants. It is safe for concurrent
// use.
type Queue struct {
	limits  Limits
	backlog *backlog
	tenants *tenants
}

// New returns a Queue. It makes no request.
func New(limits Limits, counts Counts) *Queue {
	all := &backlog{count: counts.All, limit: limits.Messages}
	return &Queue{limits: limits, backlog: all, tenants: newTenants(limits.PerTenant, counts.Of, all)}
}

// Priority returns the priority of one more message of a tenant, and counts it. It never
// fails: if the server does not respond, it uses the estimate of this process.
func (q *Queue) Priority(ctx context.Context, name string) int {
	t := q.tenants.get(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	q.tenants.refresh(ctx, name, t)
	priority := 0
	for priority < Priorities-1 && t.waiting >= ends[priority] {
		priority++
	}
	t.waiting++
	q.backlog.add(1)
	return priority
}

// Undo reverts Priority for a message that was not stored.
func (q *Queue) Undo(name string) {
	t := q.tenants.get(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = max(0, t.waiting-1)
	q.backlog.add(-1)
}

// Admit returns nil if more work of a tenant is accepted, otherwise ErrFull, ErrTenantFull or
// ErrBacklogUnknown. The empty name means that the tenant is not yet known.
func (q *Queue) Admit(ctx context.Context, name string) error {
	all, err := q.backlog.read(ctx, maxAge)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBacklogUnknown, err)
	case all >= q.limits.Messages:
		return ErrFull
	case name == "":
		return nil
	}
	t := q.tenants.get(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	q.tenants.refresh(ctx, name, t)
	switch {
	case q.limits.PerTenant > 0 && t.waiting >= q.limits.PerTenant:
		return ErrTenantFull
	case float64(all) >= crowded*float64(q.limits.Messages) && t.waiting >= first:
		return ErrFull
	}
	return nil
}
