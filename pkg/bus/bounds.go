package bus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"
)

// Bounds are what one attempt may take.
type Bounds struct {
	// Time is after how long the handler's context ends. A handler that does not
	// return within as long again, 5 s at most, is left behind. 0 bounds nothing.
	Time time.Duration
	// Memory is how many bytes the attempt may grow to, of Consumer.Memory.
	Memory int64
}

// ErrAbandoned says that handlers which do not return are too many, or go on for
// too long: only the restart of their process gets rid of them.
var ErrAbandoned = errors.New("too many attempts were left behind without having returned, or one for too long")

// TimeError is an attempt that took longer than its bound.
type TimeError struct{ Limit time.Duration }

func (e *TimeError) Error() string { return fmt.Sprintf("it took longer than %s", e.Limit) }

const (
	abandonAfter = 5 * time.Second
	// giveUpTime bounds GiveUp, which makes a few requests.
	giveUpTime = time.Minute
)

// room is what the attempts of one process share.
type room struct {
	free   int64 // bytes that an attempt may take unasked
	half   int64 // bytes for all attempts that take more
	memory *semaphore.Weighted

	most      int64         // attempts that may be left behind
	longest   time.Duration // how long each of them may
	abandoned atomic.Int64
	gauge     prometheus.Gauge
	full      context.CancelCauseFunc // called when too many are, or one for too long

	next chan func()     // to a goroutine that has nothing to do
	over <-chan struct{} // closed when no attempt is made any more
}

// newRoom halves the memory: an attempt that needs no more than its place's part
// of the one half never waits for those that need more and share the other.
// Attempts are made for as long as working.
func newRoom(working context.Context, c Consumer, gauge prometheus.Gauge, full context.CancelCauseFunc) *room {
	r := &room{
		most: int64(c.Abandoned), longest: c.AbandonedFor, gauge: gauge, full: full,
		next: make(chan func()), over: working.Done(),
	}
	if c.Memory > 0 {
		r.half = c.Memory / 2
		r.free = r.half / int64(c.Parallel)
		r.memory = semaphore.NewWeighted(r.half)
	}
	return r
}

// enter waits until there is memory for an attempt. large says that it had to be
// asked for. An attempt that needs more than there is gets all of it.
func (r *room) enter(ctx context.Context, bytes int64) (leave func(), large bool, err error) {
	if r.memory == nil || bytes <= r.free {
		return func() {}, false, nil
	}
	bytes = min(bytes, r.half)
	if err := r.memory.Acquire(ctx, bytes); err != nil {
		return nil, false, err
	}
	return func() { r.memory.Release(bytes) }, true, nil
}

// within calls f in another goroutine and returns its error, a *PanicError, or
// a *TimeError. One that does not return when its context ends is left behind and
// keeps its memory until it does.
func (r *room) within(ctx context.Context, b Bounds, f func(context.Context) error) error {
	leave, large, err := r.enter(ctx, b.Memory)
	if err != nil {
		return err
	}
	bounded, cancel, patience := ctx, context.CancelFunc(func() {}), abandonAfter
	over := error(nil)
	if b.Time > 0 {
		over, patience = &TimeError{b.Time}, min(b.Time, patience)
		// Not a deadline: NATS would take it for that of each request, which are lost
		// when a leader is, and not wait for its usual 5 s.
		limited, end := context.WithCancelCause(ctx)
		timer := time.AfterFunc(b.Time, func() { end(over) })
		bounded, cancel = limited, func() { timer.Stop(); end(nil) }
	}
	defer cancel()
	ended := make(chan struct{})
	var came error
	r.start(func() {
		defer leave()
		defer close(ended)
		came = guarded(func() error { return f(bounded) })
	})
	select {
	case <-ended:
	case <-bounded.Done():
		last := time.NewTimer(patience)
		defer last.Stop()
		select {
		case <-ended:
		case <-last.C:
			r.abandon(ended, large)
			return context.Cause(bounded)
		}
	}
	if came != nil && over != nil && errors.Is(context.Cause(bounded), over) {
		return fmt.Errorf("%w: %w", over, came)
	}
	return came
}

// start calls f in a goroutine that is done with another attempt, if there is one:
// its stack is as large as attempts need, where a new one would grow step by step.
func (r *room) start(f func()) {
	select {
	case r.next <- f:
		return
	default:
	}
	go func() {
		for {
			f()
			select {
			case f = <-r.next:
			case <-r.over:
				return
			}
		}
	}()
}

// abandon counts an attempt that does not return for as long as it does not. One
// that holds memory others wait for is one too many. Nobody can tell one that waits
// for something from one that takes a processor, so the time of each is bounded.
func (r *room) abandon(returned <-chan struct{}, large bool) {
	r.gauge.Inc()
	if r.abandoned.Add(1) > r.most || large {
		r.full(ErrAbandoned)
	}
	go func() {
		late := time.NewTimer(r.longest)
		defer late.Stop()
		select {
		case <-returned:
		case <-late.C:
			r.full(ErrAbandoned)
			<-returned
		}
		r.abandoned.Add(-1)
		r.gauge.Dec()
	}()
}
