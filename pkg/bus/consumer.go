package bus

import (
	"context"
	"errors"
	"time"
)

// Bounds are what one attempt may take.
type Bounds struct {
	// Time limits the handler's context. A handler that has not returned after the same time again,
	// at most 5 s, is abandoned. 0 is no limit.
	Time time.Duration
	// Memory is how many bytes the attempt may grow to, of Consumer.Memory.
	Memory int64
}

// Consumer declares a durable consumer and what it does. Processes that use the same Name share the
// work.
type Consumer struct {
	// Name is the durable name, on a work stream with a priority appended, and
	// the last token of the dead letters' subject.
	Name   string
	Area   string // product area, for logs and metrics
	Stream string
	Filter string // subject filter; empty takes all of the stream
	// OnlyNew makes a consumer that does not exist yet begin with the first message after its
	// creation instead of the oldest one in the stream. An existing consumer keeps its position.
	OnlyNew bool

	// Parallel is how many deliveries this process works on at once. Default 1.
	Parallel int
	// Lease is the time after which a message is redelivered to another worker. It is renewed every
	// third of it while the handler runs. Default 30 s.
	Lease time.Duration
	// Attempts is how many deliveries a message gets, counted before the work, so that an input
	// that kills the process runs out of them too. A delivery that a worker returns because it
	// shuts down does not count. Default 12, which with the default Backoff outlasts an outage of a
	// backend of 15 minutes. A message whose handler panics or exceeds its bounds has at most 3.
	Attempts int
	// Bounds says what an attempt at a delivery may take, and may leave in its Event
	// what it read for that. Optional; without it there are none.
	Bounds func(*Delivery) Bounds
	// Memory is how many bytes the attempts of this process may take together
	// by their Bounds; others wait until some ends. 0 bounds nothing.
	Memory int64
	// Abandoned is how many handlers that do not return may be abandoned. One more ends the
	// consumer with attempt.ErrAbandoned. Default 8.
	Abandoned int
	// AbandonedFor is how long an abandoned handler may run, since it may be a busy loop. After
	// that the consumer ends in the same way. Default 5 min.
	AbandonedFor time.Duration
	// Backoff is the pause after the given failed attempt. The default doubles
	// from 1 s up to 5 min.
	Backoff func(attempt int) time.Duration
	// Drain is how long handlers may go on once the context of the consumer has
	// ended, before theirs ends too. Default 10 s.
	Drain time.Duration

	// Gate is called before a message is requested and returns nil once one may be: it
	// blocks while something that all of the work needs is unavailable, so that messages
	// wait in the stream and use no attempts. It returns an error when ctx ends; after
	// another error it is called again. Optional.
	Gate func(ctx context.Context) error
	// Handle works on one delivery. It never acknowledges; it returns. nil says
	// that everything the message causes is durable, Permanent that no attempt
	// can succeed, Later that it is delivered again without using an attempt, any other error
	// that another attempt may succeed.
	Handle func(context.Context, Delivery) error
	// GiveUp is called before a message is given up, with the reason, to move
	// the item to its failed state. It may be called again for the same message
	// when it returns an error or the dead letter cannot be stored. It returns the
	// time of the failure as the item has it, which becomes DeadLetter.Last, so that
	// the two can be compared whatever the clocks say; zero for now. Optional.
	GiveUp func(context.Context, Delivery, error) (time.Time, error)
}

// ErrTakenOver is what a handler returns when it finds that another delivery of the same item has
// the work now. The message is then not acknowledged, since that would take it from the worker that
// holds it. It is redelivered after a lease, unless that worker acknowledges it.
var ErrTakenOver = errors.New("another worker has taken over the item")

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// Permanent marks err as one after which no further attempt can succeed. A consumer
// gives such a message up at once.
func Permanent(err error) error { return &permanentError{err} }

// IsPermanent reports whether err, or one it wraps, was marked by Permanent.
func IsPermanent(err error) bool {
	_, ok := errors.AsType[*permanentError](err)
	return ok
}

type laterError struct {
	err   error
	delay time.Duration
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }

// Later returns err for a delivery that is to be repeated after d, and that does not count
// as an attempt: nothing was tried, because something that the work needs is unavailable.
func Later(err error, d time.Duration) error { return &laterError{err, d} }

// Delay returns the delay that err, or one it wraps, was given by Later. ok is false
// if there is none, or if err is permanent all the same.
func Delay(err error) (d time.Duration, ok bool) {
	later, ok := errors.AsType[*laterError](err)
	if !ok || IsPermanent(err) {
		return 0, false
	}
	return later.delay, true
}
