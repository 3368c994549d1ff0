// Package attempt serves the attempts at messages: it limits the time and memory of each and the
// number of abandoned handlers, and it keeps a log of deliveries, by which attempts are counted
// that end with the death of their process.
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

// ErrAbandoned reports that too many handlers do not return, or that one goes on for too
// long: only a restart of the process ends them.
var ErrAbandoned = errors.New("too many abandoned attempts have not returned, or one for too long")

// TimeError reports that an attempt exceeded its time limit.
type TimeError struct{ Limit time.Duration }

func (e *TimeError) Error() string { return fmt.Sprintf("it took longer than %s", e.Limit) }

// PanicError is a panic of a handler. Its text leaves the stack out, since it becomes the
// reason that people read.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("the worker panicked: %v", e.Value) }

// abandonAfter is how long a handler may go on after its context has ended.
const abandonAfter = 5 * time.Second

// Limits are the limits of the attempts of one process.
type Limits struct {
	Parallel     int           // attempts at once
	Memory       int64         // bytes of all attempts together; 0 for no limit
	Abandoned    int           // handlers that may be left behind
	AbandonedFor time.Duration // how long each of them may go on
}

// Limiter enforces Limits. It is safe for concurrent use.
type Limiter struct {
	perSlot int64               // bytes that an attempt takes without waiting
	shared  int64               // bytes for all attempts that need more
	memory  *semaphore.Weighted // nil for no limit

	maxAbandoned int64
	abandonedFor time.Duration
	abandoned    atomic.Int64
	gauge        prometheus.Gauge
	full         context.CancelCauseFunc
}

// NewLimiter returns a Limiter. It calls full with ErrAbandoned when a limit on abandoned
// handlers is exceeded, and sets gauge to their number.
//
// It halves the memory: an attempt that needs no more than its slot's part of one half
// never waits for those that need more, which share the other half.
func NewLimiter(limits Limits, gauge prometheus.Gauge, full context.CancelCauseFunc) *Limiter {
	l := &Limiter{maxAbandoned: int64(limits.Abandoned), abandonedFor: limits.AbandonedFor, gauge: gauge, full: full}
	if limits.Memory > 0 {
		l.shared = limits.Memory / 2
		l.perSlot = l.shared / int64(limits.Parallel)
		l.memory = semaphore.NewWeighted(l.shared)
	}
	return l
}

// Abandoned returns how many handlers were abandoned and have not returned.
func (l *Limiter) Abandoned() int64 { return l.abandoned.Load() }

// acquire waits until there is memory for an attempt. waited reports that the memory is
// from the shared half. An attempt that needs more than that half gets all of it.
func (l *Limiter) acquire(ctx context.Context, bytes int64) (release func(), waited bool, err error) {
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
// *PanicError or a *TimeError. 0 is no limit. It waits for memory first. An f that does not return
// within the same time again after its context has ended, at most 5 s, is abandoned; it keeps its
// memory until it returns.
func (l *Limiter) Run(ctx context.Context, limit time.Duration, memory int64, f func(context.Context) error) error {
	release, shared, err := l.acquire(ctx, memory)
	if err != nil {
		return err
	}
	limited, cancel, patience := ctx, context.CancelFunc(func() {}), abandonAfter
	late := error(nil)
	if limit > 0 {
		late, patience = &TimeError{limit}, min(limit, patience)
		// Not a deadline: the NATS client would apply it to each request in place of its own
		// 5 s, and so wait too long for one that was lost.
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
		result = recovered(func() error { return f(limited) })
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

// abandon counts a handler until it returns. One that holds shared memory is one too many
// at once, since others wait for it. A handler that waits cannot be distinguished from one that
// takes a processor, so the time of each is limited.
func (l *Limiter) abandon(returned <-chan struct{}, shared bool) {
	l.gauge.Inc()
	if l.abandoned.Add(1) > l.maxAbandoned || shared {
		l.full(ErrAbandoned)
	}
	go func() {
		late := time.NewTimer(l.abandonedFor)
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

// recovered calls f and turns a panic into a PanicError.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return f()
}
