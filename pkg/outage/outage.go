// Package outage limits how long a request waits for backends that do not respond, and marks the errors of such
// backends. Workers retry for longer: their calls are not limited.
package outage

import (
	"context"
	"sync"
	"time"
)

const (
	// Limit is how long a bounded context waits for a backend without a response, over all calls and their retries.
	Limit = 4 * time.Second
	// least is the time for a call after the limit has been reached, such as a call that reverts an earlier one.
	least = 250 * time.Millisecond
)

// Backend is the name of a backend.
type Backend string

// Backends.
const (
	DynamoDB Backend = "DynamoDB"
	S3       Backend = "S3"
	NATS     Backend = "NATS"
)

// Error is the error of a call to which a backend did not respond, or responded that it cannot serve it now. A later
// call may succeed.
type Error struct {
	Backend Backend
	Err     error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error of the call.
func (e *Error) Unwrap() error { return e.Err }

// waiting records since when a bounded context has had no response from each backend.
type waiting struct {
	mu    sync.Mutex
	since map[Backend]time.Time
}

type waitingKey struct{}

// Bounded returns a context whose calls wait for each backend for at most Limit. A response restores the limit, so a
// long request is not limited as a whole.
func Bounded(ctx context.Context) context.Context {
	return context.WithValue(ctx, waitingKey{}, &waiting{since: map[Backend]time.Time{}})
}

// Left returns how long a call to a backend may take. It returns false if the context is not bounded.
func Left(ctx context.Context, b Backend) (left time.Duration, bounded bool) {
	w, bounded := ctx.Value(waitingKey{}).(*waiting)
	if !bounded {
		return 0, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	since, failing := w.since[b]
	if !failing {
		return Limit, true
	}
	return max(least, Limit-time.Since(since)), true
}

// Ended records whether a call that began at a time got a response.
func Ended(ctx context.Context, b Backend, began time.Time, answered bool) {
	w, bounded := ctx.Value(waitingKey{}).(*waiting)
	if !bounded {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, failing := w.since[b]; answered {
		delete(w.since, b)
	} else if !failing {
		w.since[b] = began
	}
}
