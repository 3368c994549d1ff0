// Package attempt limits the time and memory of each attempt to process a message, and the number
// of abandoned handlers.
package attempt

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"
)

// ErrAbandoned means that too many handlers have not returned, or that one has run for too long.
// Only a restart of the process terminates them.
var ErrAbandoned = errors.New("too many abandoned attempts have not returned, or one has run for too long")

// TimeError means that an attempt exceeded its time limit.
type TimeError struct{ Limit time.Duration }

func (e *TimeError) Error() string { return fmt.Sprintf("the attempt took longer than %s", e.Limit) }

// PanicError is a panic of a handler. Its text omits the stack, because it is shown to users.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("the worker panicked: %v", e.Value) }

// LostError means that no attempts are left, because the last one ended without a result: its worker died or lost its
// connection.
type LostError struct{ Attempts int }

func (e *LostError) Error() string {
	return fmt.Sprintf("gave up after %s; in the last one, the worker died or lost its connection", Count(e.Attempts))
}

// abandonAfter is how long a handler may continue after its context is done.
const abandonAfter = 5 * time.Second

// Limits are the limits of the attempts of one process.
type Limits struct {
	Parallel     int           // concurrent attempts
	Memory       int64         // total bytes of all attempts; 0 for no limit
	Abandoned    int           // maximum number of abandoned handlers
	AbandonedFor time.Duration // maximum time of each abandoned handler
}

// Limiter enforces Limits on the attempts of one process. It is safe for concurrent use.
type Limiter struct {
	perSlot int64               // memory in bytes available to every attempt without waiting
	shared  int64               // memory in bytes shared by attempts that need more
	memory  *semaphore.Weighted // nil for no limit

	limits    Limits
	abandoned atomic.Int64
	gauge     prometheus.Gauge
	full      context.CancelCauseFunc
}

// NewLimiter returns a Limiter. It calls full with ErrAbandoned when a limit on abandoned
// handlers is exceeded, and sets gauge to their number.
//
// The memory is split into two halves. One is divided among the slots: an attempt that
// needs no more than its slot's share never waits. Attempts that need more share the
// other half.
func NewLimiter(limits Limits, gauge prometheus.Gauge, full context.CancelCauseFunc) *Limiter {
	l := &Limiter{limits: limits, gauge: gauge, full: full}
	if limits.Memory > 0 {
		l.shared = limits.Memory / 2
		l.perSlot = l.shared / int64(limits.Parallel)
		l.memory = semaphore.NewWeighted(l.shared)
	}
	return l
}

// Abandoned returns the number of abandoned handlers that have not returned.
func (l *Limiter) Abandoned() int64 { return l.abandoned.Load() }

// acquire waits until there is memory for an attempt, and returns a function that releases it.
// shared reports whether the memory is from the shared half. An attempt that needs more than that
// half gets all of it.
func (l *Limiter) acquire(ctx context.Context, bytes int64) (release func(), shared bool, err error) {
	if l.memory == nil || bytes <= l.perSlot {
		return func() {}, false, nil
	}
	bytes = min(bytes, l.shared)
	if err := l.memory.Acquire(ctx, bytes); err != nil {
		return nil, false, err
	}
	return func() { l.memory.Release(bytes) }, true, nil
}

// Run calls f in another goroutine, with a context that ends after limit, and returns its error, a
// *PanicError or a *TimeError. A limit of 0 means no limit. Run first waits for memory. f is
// abandoned if it has not returned after twice limit, or 5 s after its context is done if that is
// earlier. It keeps its memory until it returns.
func (l *Limiter) Run(ctx context.Context, limit time.Duration, memory int64, f func(context.Context) error) error {
	release, shared, err := l.acquire(ctx, memory)
	if err != nil {
		return err
	}
	limited, cancel, patience := ctx, context.CancelFunc(func() {}), abandonAfter
	late := error(nil)
	if limit > 0 {
		late, patience = &TimeError{limit}, min(limit, patience)
		// Not a deadline: the NATS client would apply it to each request instead of its own limit
		// of 5 s, and wait too long for a lost request.
		ended, end := context.WithCancelCause(ctx)
		timer := time.AfterFunc(limit, func() { end(late) })
		limited, cancel = ended, func() { timer.Stop(); end(nil) }
	}
	defer cancel()
	returned := make(chan struct{})
	var result error
	go func() {
		defer release()
		defer close(returned)
		defer func() {
			if p := recover(); p != nil {
				result = &PanicError{Value: p, Stack: debug.Stack()}
			}
		}()
		result = f(limited)
	}()
	select {
	case <-returned:
	case <-limited.Done():
		last := time.NewTimer(patience)
		defer last.Stop()
		select {
		case <-returned:
		case <-last.C:
			l.abandon(returned, shared)
			return context.Cause(limited)
		}
	}
	if result != nil && late != nil && errors.Is(context.Cause(limited), late) {
		return fmt.Errorf("%w: %w", late, result)
	}
	return result
}

// abandon counts a handler until it returns. A handler with shared memory exceeds the limit
// immediately, because others wait for the memory. A waiting handler cannot be distinguished from a
// busy one, so the time of each is limited.
func (l *Limiter) abandon(returned <-chan struct{}, shared bool) {
	l.gauge.Inc()
	if l.abandoned.Add(1) > int64(l.limits.Abandoned) || shared {
		l.full(ErrAbandoned)
	}
	go func() {
		late := time.NewTimer(l.limits.AbandonedFor)
		defer late.Stop()
		select {
		case <-returned:
		case <-late.C:
			l.full(ErrAbandoned)
			<-returned
		}
		l.abandoned.Add(-1)
		l.gauge.Dec()
	}()
}

// Count returns the text for a number of attempts, such as "1 attempt" or "3 attempts".
func Count(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
