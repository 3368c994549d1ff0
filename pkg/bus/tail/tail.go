// Package tail reads the events of a stream that retains them for a time, such as the outcomes of analyses, in order and
// without a gap.
package tail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

var (
	// ErrGone means that the stream does not contain every event after the given sequence, so that
	// a reader cannot resume there without a gap.
	ErrGone = errors.New("the events after this position have been removed")
	// ErrLost means that a tail has lost its consumer or its connection. The
	// caller can open another one after the last sequence.
	ErrLost = errors.New("the consumer of the stream is lost")
)

const (
	// heartbeat is the interval at which the server reports to a tail without
	// messages. A tail that misses two heartbeats is lost.
	heartbeat = 5 * time.Second
	// idle is the time for which the server retains the consumer of a process
	// that crashed.
	idle = 30 * time.Second
	// closeTime limits the request that deletes the consumer.
	closeTime = 3 * time.Second
)

// Bounds returns the sequences of the oldest and the newest event in a stream. The
// newest is 0 if there has never been one; the oldest is greater than the newest if
// all have been removed.
func Bounds(ctx context.Context, b *bus.Bus, stream string) (oldest, newest uint64, err error) {
	found, err := b.JS.Stream(ctx, stream)
	if err != nil {
		return 0, 0, err
	}
	state := found.CachedInfo().State
	return max(state.FirstSeq, 1), state.LastSeq, nil
}

// Tail reads the events after a position, in order and without a gap. It is not safe for concurrent
// use.
type Tail struct {
	bus      *bus.Bus
	stream   string
	log      zerolog.Logger
	ctx      context.Context // done when the caller's context is done, the connection was lost, or the server forbids a request
	end      func()
	consumer string
	messages jetstream.MessagesContext
	after    uint64 // the last sequence that Next returned
	received uint64 // number of messages received
}

// Open opens a tail on the events of a stream after the given sequence. The tail has its own consumer on the server,
// until Close. Open returns ErrGone if the stream no longer contains all of these events. The tail ends with ctx.
func Open(ctx context.Context, b *bus.Bus, log zerolog.Logger, stream string, after uint64) (_ *Tail, err error) {
	ctx, done := b.WithPermissionErrors(ctx, stream)
	ctx, lose := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.Connected(), func() { lose(ErrLost) })
	t := &Tail{bus: b, stream: stream, log: log, ctx: ctx, after: after, end: func() { stop(); lose(nil); done(new(error)) }}
	defer func() {
		if err != nil {
			err = t.cause(err)
			t.Close()
		}
	}()
	oldest, newest, err := Bounds(ctx, b, stream)
	if err != nil {
		return nil, err
	}
	if after > newest || after+1 < oldest {
		return nil, ErrGone
	}
	name := "tail-" + rand.Text()
	consumer, err := b.JS.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Name: name, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: idle,
	})
	if err != nil {
		return nil, fmt.Errorf("consumer on %s: %w", stream, err)
	}
	t.consumer = name
	t.messages, err = consumer.Messages(jetstream.PullHeartbeat(heartbeat), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return nil, fmt.Errorf("messages of %s: %w", stream, err)
	}
	return t, nil
}

// Next waits for the next event. It returns ErrGone if the stream has lost
// events that were not read yet, ErrLost if another tail can continue from the
// last sequence, and the context's error after ctx is done.
func (t *Tail) Next() (bus.Delivery, error) {
	msg, err := t.messages.Next(jetstream.NextContext(t.ctx))
	if err != nil {
		return bus.Delivery{}, t.cause(fmt.Errorf("%w: %w", ErrLost, err))
	}
	meta, err := msg.Metadata()
	if err != nil {
		return bus.Delivery{}, fmt.Errorf("tail of %s: %w", t.stream, err)
	}
	if t.received++; meta.Sequence.Consumer != t.received {
		return bus.Delivery{}, fmt.Errorf("%w: got message %d instead of %d", ErrLost, meta.Sequence.Consumer, t.received)
	}
	if meta.Sequence.Stream != t.after+1 {
		return bus.Delivery{}, ErrGone
	}
	t.after = meta.Sequence.Stream
	delivery := bus.Delivery{
		Subject: msg.Subject(), Data: msg.Data(),
		Attempt: 1, Sequence: meta.Sequence.Stream, Stored: meta.Timestamp,
	}
	if delivery.Envelope, err = event.ParseEnvelope(msg.Headers()); err != nil {
		t.log.Warn().Err(err).Str("subject", msg.Subject()).Msg("an event has unreadable headers")
	}
	return delivery, nil
}

// cause returns the cause of the end of the tail's context, or err if the context has not ended.
func (t *Tail) cause(err error) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	return err
}

// Close deletes the consumer. Further calls do nothing.
func (t *Tail) Close() {
	if t.messages != nil {
		t.messages.Stop()
	}
	if t.consumer != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closeTime)
		defer cancel()
		err := t.bus.JS.DeleteConsumer(ctx, t.stream, t.consumer)
		switch {
		case err == nil, errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound),
			errors.Is(err, nats.ErrConnectionClosed):
		default:
			t.log.Warn().Err(err).Dur("removed_after_ms", idle).Str("stream", t.stream).Msg("cannot delete a consumer; the server removes it later")
		}
	}
	t.end() // has no further effect
	t.messages, t.consumer = nil, ""
}
