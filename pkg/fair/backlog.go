package fair

import (
	"context"
	"sync"
	"time"
)

const (
	// maxAge is the maximum age of a count of an empty queue. The maximum for a fuller queue is
	// proportionally lower, so that a queue that is being emptied soon admits work again.
	maxAge = time.Second
	minAge = freshAge
	// freshAge is the maximum age of the total backlog when it is used as an upper bound for the
	// backlog of a tenant.
	freshAge = 50 * time.Millisecond
	// countTimeout limits the time of one count.
	countTimeout = 5 * time.Second
)

// backlog is the number of queued messages of all tenants: the server's last count plus the
// messages that this process has published since.
type backlog struct {
	count func(context.Context) (int64, error)
	limit int64

	mu       sync.Mutex
	counting bool
	counted  time.Time
	messages int64
	since    int64 // messages published since the count began
	err      error
}

// add counts messages that this process publishes, or removes them from the
// count.
func (b *backlog) add(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since = max(0, b.since+n)
}

// read returns the backlog from a count that is no older than age. If a count is due, one caller
// counts; the others use the previous count without waiting.
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
	// Other callers wait for this count too, so it continues after ctx is done.
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
