package bus

import (
	"context"
	"errors"
	"time"
)

// Bounds are the limits of one attempt.
type Bounds struct {
	// Time limits the handler's context. A handler that has not returned after the same time again,
	// at most 5 s, is abandoned. 0 is no limit.
	Time time.Duration
	// Memory is the number of bytes that the attempt may allocate, out of
	// Consumer.Memory.
	Memory int64
}

// Consumer declares a durable consumer and its handler. Processes that use the same Name share the
// work.
type Consumer struct {
	// Name is the durable name, on a work stream with a priority appended, and
	// the last token of the dead letters' subject.
	Name   string
	Area   string // product area, for logs and metrics
	Stream string
	Filter string // subject filter; empty selects the entire stream
	// OnlyNew makes a consumer that does not exist yet begin with the first message after its
	// creation instead of the oldest one in the stream. An existing consumer keeps its position.
	OnlyNew bool

	// Parallel is how many deliveries this process works on at once. Default 1.
	Parallel int
	// Lease is the time after which a message is redelivered to another worker. It is renewed every
	// third of it while the handler runs. Default 30 s.
	Lease time.Duration
	// Attempts is how many deliveries a message gets, counted before the work, so that an input
	// that crashes the process runs out of them too. A delivery that a worker returns because it
	// shuts down does not count. Default 12, which with the default Backoff outlasts an outage of a
	// backend of 15 minutes. A message whose handler panics or exceeds its bounds has at most 3.
	Attempts int
	// Bounds returns the limits of an attempt at a delivery. It may store in its
	// Event what it read to determine them. Optional; without it there are no
	// limits.
	Bounds func(*Delivery) Bounds
	// Memory is the total number of bytes that the attempts of this process
	// may use according to their Bounds; further attempts wait. 0 means no
	// limit.
	Memory int64
	// Abandoned is how many handlers that do not return may be abandoned. One more ends the
	// consumer with attempt.ErrAbandoned. Default 8.
	Abandoned int
	// AbandonedFor is how long an abandoned handler may run, since it may be a busy loop. After
	// that the consumer ends in the same way. Default 5 min.
	AbandonedFor time.Duration
	// Backoff returns the pause after the given failed attempt. The default
	// doubles from 1 s up to 5 min.
	Backoff func(attempt int) time.Duration
	// Drain is how long handlers may continue after the context of the consumer
	// has ended, before their contexts end too. Default 10 s.
	Drain time.Duration

	// Gate is called before a message is requested and returns nil when one may be
	// requested: it blocks while a resource that all of the work needs is unavailable,
	// so that messages wait in the stream and use no attempts. It returns an error when
	// ctx ends; after another error it is called again. Optional.
	Gate func(ctx context.Context) error
	// Handle processes one delivery. It never acknowledges; it returns. nil means that all
	// effects of the message are durable, Permanent that no attempt can succeed, Later that
	// the message is redelivered without using an attempt, and any other error that another
	// attempt may succeed.
	Handle func(context.Context, Delivery) error
	// GiveUp is called with the reason before a message is given up, to move the
	// item to its failed state. It may be called again for the same message if it
	// returns an error or the dead letter cannot be stored. It returns the time of
	// the failure as stored in the item, which becomes DeadLetter.Last, so that the
	// two can be compared regardless of clocks; zero means now. Optional.
	GiveUp func(context.Context, Delivery, error) (time.Time, error)
}

// ErrTakenOver is what a handler returns if it finds that another delivery of the same item has
// taken over the work. The message is then not acknowledged, since that would take it from the
// worker that has it. It is redelivered after a lease, unless that worker acknowledges it.
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

// Later returns err for a delivery that is to be repeated after d without counting as an
// attempt, because something that the work needs is unavailable and nothing was tried.
func Later(err error, d time.Duration) error { return &laterError{err, d} }

// Delay returns the delay that was passed to Later for err, or for an error that it
// wraps. ok is false if there is none, or if err is permanent.
func Delay(err error) (d time.Duration, ok bool) {
	later, ok := errors.AsType[*laterError](err)
	if !ok || IsPermanent(err) {
		return 0, false
	}
	return later.delay, true
}
