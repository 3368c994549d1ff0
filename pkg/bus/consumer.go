package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

// Bounds limits one attempt.
type Bounds struct {
	// Time limits the handler's context. A handler that has not returned after twice that time, or
	// 5 s after the limit if that is earlier, is abandoned. 0 means no limit.
	Time time.Duration
	// Memory is the number of bytes that the attempt may allocate, out of
	// Consumer.Memory.
	Memory int64
}

// Consumer declares a durable consumer and its handler. Processes with the same Name share the
// work.
type Consumer struct {
	// Name is the durable name, with a priority appended on a work stream, and the last token of
	// the subject of dead letters.
	Name   string
	Area   string // product area, for logs and metrics
	Stream string
	Filter string // subject filter; empty selects the entire stream

	// Parallel is the number of deliveries that this process handles concurrently. Default 1.
	Parallel int
	// Share is the number of deliveries of one tenant that this process handles concurrently. If it is lower than
	// Parallel, long work of one tenant never occupies all workers: a delivery that finds the share of its tenant used
	// is returned after a short wait, without using an attempt. 0 means no limit.
	Share int
	// Lease is the time after which a message is redelivered to another worker. It is renewed after
	// every third of this time while the handler runs. Default 30 s.
	Lease time.Duration
	// Attempts is the maximum number of deliveries of a message. They are counted before the work
	// begins, so that an input that crashes the process also runs out of attempts. A delivery that
	// a worker returns because it shuts down does not count. Default 12, which with the default
	// Backoff outlasts a backend outage of 15 minutes. A message whose handler panics or exceeds
	// its bounds has at most 3.
	Attempts int
	// Bounds returns the limits of an attempt at a delivery. It may store data that it has read in
	// the Event of the delivery. Optional; by default there are no limits.
	Bounds func(*Delivery) Bounds
	// Memory is the total number of bytes that the attempts of this process
	// may use according to their Bounds; further attempts wait. 0 means no
	// limit.
	Memory int64
	// Abandoned is the maximum number of abandoned handlers that have not returned. One more ends
	// the consumer with attempt.ErrAbandoned. Default 8.
	Abandoned int
	// AbandonedFor is how long an abandoned handler may run, because it may be in a busy loop.
	// After that the consumer ends in the same way. Default 5 min.
	AbandonedFor time.Duration
	// Backoff returns the pause after the given failed attempt. The default
	// doubles from 1 s up to 5 min.
	Backoff func(attempt int) time.Duration
	// Leave is how long a message that requires a newer version of Assay is left in the stream, from the time at which it
	// was stored. Until then it is redelivered after pauses of a thousandth of its age, from 1 s to 1 min. The pauses are
	// longer if a process leaves more than 20 messages a second. Default 24 h.
	Leave time.Duration
	// Drain is how long handlers may continue after the context of the consumer is done, before
	// their contexts are canceled too. Default 10 s.
	Drain time.Duration

	// Gate is called before a message is requested. It blocks while a resource that all work
	// requires is unavailable, so that messages wait in the stream and use no attempts. It returns
	// an error when ctx is done; after other errors it is called again. Optional.
	Gate func(ctx context.Context) error
	// Handle processes one delivery. Its result settles the message: nil means that all effects of
	// the message are durable, Permanent that no attempt can succeed, Later that the message is
	// redelivered without using an attempt, and any other error that another attempt may succeed. A message whose error
	// wraps event.ErrNewer is left to processes of a newer version for up to Leave, even if it is permanent.
	Handle func(context.Context, Delivery) error
	// GiveUp is called with the error before the consumer gives up on a message, to move the item
	// to its failed state. It returns what becomes of the message. It may be called again for the
	// same message if it returns an error or the dead letter cannot be stored. Optional; by default
	// the message becomes a dead letter.
	GiveUp func(context.Context, Delivery, error) (Failure, error)
}

// Failure describes why a consumer gave up on a message. Its zero value is a fault that the error of
// the handler describes.
type Failure struct {
	// Rejected means that the content cannot be processed, so that nothing is left to do for an operator: the
	// message is acknowledged without a dead letter.
	Rejected bool
	// Reason is what the dead letter says. The default is the text of the error, which is always logged.
	Reason string
	// Class is the class of the dead letter. The default is derived from the error.
	Class event.DeadClass
	// Attempts is the number of attempts, which a handler that returns Later may count itself. The default is the
	// number of the delivery.
	Attempts int
	// At is the time of the failure as stored in the item. It becomes DeadLetter.Last, so that the two can be
	// compared regardless of clocks. The default is now.
	At time.Time
}

// ErrTakenOver is what a handler returns if it finds that another delivery of the same item has
// taken over the work. The message is then not acknowledged, because the other worker still needs
// it. It is redelivered after a lease, unless that worker acknowledges it.
var ErrTakenOver = errors.New("another worker has taken over the item")

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// Permanent marks err as permanent: no further attempt can succeed. A consumer gives up on such a
// message immediately.
func Permanent(err error) error { return &permanentError{err} }

// IsPermanent reports whether err, or one it wraps, was marked by Permanent.
func IsPermanent(err error) bool {
	_, ok := errors.AsType[*permanentError](err)
	return ok
}

type laterError struct {
	error
	delay time.Duration
}

func (e *laterError) Unwrap() error { return e.error }

// Later marks err so that the delivery is repeated after d without counting as an attempt, because
// a required resource is unavailable and the work was not attempted.
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

// Headers of a message on a work stream in addition to those of its event.
const (
	headerTenant   = "assay-tenant"    // a replay uses it
	headerReplayOf = "assay-replay-of" // sequence of the dead letter whose replay caused the message
)

// Delivery is one delivery of a message to a handler.
type Delivery struct {
	event.Envelope
	Subject string
	Data    []byte
	Event   any // stored here by Consumer.Bounds
	// Attempt counts deliveries from 1, including those whose worker crashed and excluding those
	// that were returned. In a process that does not declare the streams it is the server's count,
	// which also includes returned ones and may be too low after a crash of the server.
	Attempt int
	// Sequence is the message's sequence number in its stream.
	Sequence uint64
	// Stored is the time at which the stream stored the message.
	Stored time.Time
	header nats.Header
}

// ParseDelivery parses a message that was received from a consumer.
func ParseDelivery(msg *nats.Msg) (Delivery, error) {
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

// Tenant returns the tenant of a message on a work stream, or "".
func (d Delivery) Tenant() string { return d.header.Get(headerTenant) }

// WithTrace returns ctx with the publisher's request id and trace context, and with the mark of WithReplay.
func (d Delivery) WithTrace(ctx context.Context) context.Context {
	ctx = WithReplay(ctx, replayOf(d.header))
	return obs.WithTrace(ctx, obs.Trace(event.ParseTrace(d.header)))
}

// BeginTrace is like WithTrace, and begins the span of the delivery to a consumer. A redelivery links to the previous delivery,
// so Attempt must still be the count of the server, which includes every delivery.
func (d Delivery) BeginTrace(ctx context.Context, c Consumer) (context.Context, trace.Span) {
	return obs.BeginDelivery(d.WithTrace(ctx), "process "+d.Type,
		obs.Delivery{Message: fmt.Sprintf("%s/%s/%d/%d", c.Name, c.Stream, d.Sequence, d.Stored.UnixMilli()), Number: d.Attempt},
		trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			semconv.MessagingSystemKey.String("nats"), semconv.MessagingOperationTypeProcess, semconv.MessagingConsumerGroupName(c.Name),
			semconv.MessagingMessageID(d.ID), semconv.MessagingDestinationName(d.Subject),
			attribute.Int("assay.delivery", d.Attempt), attribute.String("assay.area", c.Area), attribute.String("assay.item", d.Item)))
}
