package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

// Delivery is one delivery of a message to a handler.
type Delivery struct {
	event.Envelope
	Subject string
	Data    []byte
	Event   any // what Consumer.Bounds left here
	// Attempt counts deliveries from 1, those included whose worker died, and
	// without those that were given back. Of a consumer whose process does not
	// declare the streams it is the server's count, which has them too, and after a
	// crash of the server may be less than the truth.
	Attempt int
	// Sequence is the message's place in its stream.
	Sequence uint64
	// Stored is when the stream took the message in.
	Stored time.Time
	header nats.Header
}

// trace puts the publisher's request id and trace context into ctx.
func (d Delivery) trace(ctx context.Context) context.Context {
	return obs.WithTrace(ctx, obs.Trace{
		RequestID: d.header.Get(headerRequestID),
		Parent:    d.header.Get(headerParent),
		State:     d.header.Get(headerState),
	})
}

// newDelivery reads a message that was pulled.
func newDelivery(msg *nats.Msg) (Delivery, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return Delivery{}, err
	}
	d := Delivery{
		Subject: publicSubject(msg.Subject), Data: msg.Data, header: msg.Header,
		Attempt: int(meta.NumDelivered), Sequence: meta.Sequence.Stream, Stored: meta.Timestamp,
	}
	d.Envelope, err = event.ParseEnvelope(d.header)
	return d, err
}

// ErrTakenOver is what a handler returns when it finds that another delivery of
// the same item has the work now. The message is then left alone: to
// acknowledge it would take it from the worker that holds it. It comes again
// after a lease, unless that worker acknowledges it.
var ErrTakenOver = errors.New("another worker has taken the item over")

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// Permanent marks err as one that no further attempt can mend. A consumer
// gives such a message up at once.
func Permanent(err error) error { return &permanentError{err} }

// Later returns err for a delivery that is to be repeated after d, and that does not count
// as an attempt: nothing was tried, because something that the work needs is unavailable.
func Later(err error, d time.Duration) error { return &laterError{err, d} }

type laterError struct {
	err   error
	delay time.Duration
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }

// IsPermanent says whether err, or one it wraps, was marked by Permanent.
func IsPermanent(err error) bool {
	_, ok := errors.AsType[*permanentError](err)
	return ok
}
