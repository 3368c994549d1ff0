package fair

import (
	"context"
	"sync"
	"time"
)

const (
	// maxAge is the greatest age of a count of an empty queue. That of a fuller one is
	// accordingly younger, so that a queue that empties admits again soon.
	maxAge = time.Second
	minAge = freshAge
	// freshAge is how old the backlog of all may be that bounds that of a tenant.
	freshAge = 50 * time.Millisecond
	// countTimeout bounds one count.
	countTimeout = 5 * time.Second
)

// backlog is how many messages of all tenants are waiting: what the server counted last,
// and what this process has published since.
type backlog struct {
	count func(context.Context) (int64, error)
	limit int64

	mu       sync.Mutex
	counting bool
	counted  time.Time
	messages int64
	since    int64 // published since the count began
	err      error
}

// add counts messages that this process publishes, or takes them back.
func (b *backlog) add(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since = max(0, b.since+n)
}

// read returns the backlog by a count that is no older than age. One caller counts when
// that is due; the others take what was counted before and do not wait.
func (b *backlog) read(ctx context.Context, age time.Duration) (int64, error) {
	b.mu.Lock()
	if b.err == nil && b.limit > 0 {
		free := 1 - float64(b.messages+b.since)/float64(b.limit)
		age = min(age, max(minAge, time.Duration(free*float64(maxAge))))
	} else {
		age = minAge
	}
	if b.counting || !b.counted.IsZero() && time.Since(b.counted) < age {
		defer b.mu.Unlock()
		return b.messages + b.since, b.err
	}
	b.counting = true
	before := b.since
	b.mu.Unlock()
	// Other callers wait for this count too, so it outlives ctx.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
	defer cancel()
	messages, err := b.count(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counting, b.counted, b.err = false, time.Now(), err
	if err == nil {
		b.messages, b.since = messages, b.since-before
	}
	return b.messages + b.since, b.err
}
