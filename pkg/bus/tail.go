package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrGone says that the stream does not hold every outcome after the given
	// sequence, so that a reader cannot resume there without a gap.
	ErrGone = errors.New("the outcomes after this position are gone")
	// ErrTailLost says that a tail has lost its consumer or its connection. Open
	// another one after the last sequence.
	ErrTailLost = errors.New("the consumer of the outcomes is lost")
)

const (
	// tailHeartbeat is how often the server reports to a tail without messages.
	// A tail that misses two heartbeats is lost.
	tailHeartbeat = 5 * time.Second
	// tailIdle is how long the server keeps the consumer of a process that died.
	tailIdle = 30 * time.Second
	// tailClose bounds the request that deletes the consumer.
	tailClose = 3 * time.Second
)

// OutcomeBounds returns the sequences of the oldest and the newest stored
// outcome. The newest is 0 when there was never one; the oldest is greater than
// the newest when all were removed.
func (b *Bus) OutcomeBounds(ctx context.Context) (oldest, newest uint64, err error) {
	info, err := b.outcomes(ctx)
	if err != nil {
		return 0, 0, err
	}
	return max(info.State.FirstSeq, 1), info.State.LastSeq, nil
}

// Tail reads the outcomes after a position, in order and without a gap. It is
// for one goroutine.
type Tail struct {
	bus      *Bus
	ctx      context.Context // ends with the caller's, when the connection was lost, and when the server forbids a request
	end      []func()
	consumer string
	messages jetstream.MessagesContext
	after    uint64 // the last sequence that Next returned
	received uint64 // how many messages it has received
}

// Tail opens a tail on the outcomes after the given sequence. It has a consumer
// of its own on the server, until Close. It returns ErrGone when the stream does
// not hold all of them. ctx bounds the life of the tail.
func (b *Bus) Tail(ctx context.Context, after uint64) (_ *Tail, err error) {
	ctx, settle := b.permitted(ctx, StreamOutcomes)
	ctx, lose := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.connection(), func() { lose(ErrTailLost) })
	t := &Tail{bus: b, ctx: ctx, after: after, end: []func(){
		func() { stop() }, func() { lose(nil) }, func() { settle(new(error)) },
	}}
	defer func() {
		if err != nil {
			err = t.cause(err)
			t.Close()
		}
	}()
	oldest, newest, err := b.OutcomeBounds(ctx)
	if err != nil {
		return nil, err
	}
	if after > newest || after+1 < oldest {
		return nil, ErrGone
	}
	name := "tail-" + rand.Text()
	consumer, err := b.js.CreateConsumer(ctx, StreamOutcomes, jetstream.ConsumerConfig{
		Name: name, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: tailIdle,
	})
	if err != nil {
		return nil, fmt.Errorf("consumer on %s: %w", StreamOutcomes, err)
	}
	t.consumer = name
	t.messages, err = consumer.Messages(jetstream.PullHeartbeat(tailHeartbeat), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return nil, fmt.Errorf("messages of %s: %w", StreamOutcomes, err)
	}
	return t, nil
}

// Next waits for the next outcome. It returns ErrGone when the stream has lost
// outcomes that were not read yet, ErrTailLost when another tail can go on from
// the last sequence, and the context's error once that ended.
func (t *Tail) Next() (Delivery, error) {
	msg, err := t.messages.Next(jetstream.NextContext(t.ctx))
	if err != nil {
		return Delivery{}, t.cause(fmt.Errorf("%w: %w", ErrTailLost, err))
	}
	meta, err := msg.Metadata()
	if err != nil {
		return Delivery{}, fmt.Errorf("tail of %s: %w", StreamOutcomes, err)
	}
	if t.received++; meta.Sequence.Consumer != t.received {
		return Delivery{}, fmt.Errorf("%w: message %d came in place of %d", ErrTailLost, meta.Sequence.Consumer, t.received)
	}
	if meta.Sequence.Stream != t.after+1 {
		return Delivery{}, ErrGone
	}
	t.after = meta.Sequence.Stream
	delivery, err := Delivery{
		Subject: msg.Subject(), Data: msg.Data(), header: msg.Headers(),
		Attempt: 1, Sequence: meta.Sequence.Stream, Stored: meta.Timestamp,
	}.withEnvelope()
	if err != nil {
		t.bus.log.Warn().Err(err).Str("subject", msg.Subject()).Msg("an outcome has unreadable headers")
	}
	return delivery, nil
}

// cause returns why the tail's context ended, where it did, instead of err.
func (t *Tail) cause(err error) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	return err
}

// Close deletes the consumer. Closing again does nothing.
func (t *Tail) Close() {
	if t.messages != nil {
		t.messages.Stop()
	}
	if t.consumer != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), tailClose)
		defer cancel()
		err := t.bus.js.DeleteConsumer(ctx, StreamOutcomes, t.consumer)
		switch {
		case err == nil, errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound),
			errors.Is(err, nats.ErrConnectionClosed):
		default:
			t.bus.log.Warn().Err(err).Dur("removed_after_ms", tailIdle).Msg("cannot delete a consumer of the outcomes; the server removes it later")
		}
	}
	for _, end := range t.end {
		end()
	}
	t.messages, t.consumer, t.end = nil, "", nil
}

// flushWait bounds the wait for the server to know a subscription.
const flushWait = 3 * time.Second

// Watch subscribes to a subject. The channel gets a value when something was
// published since the last look. It is a hint to look at the table, and may be
// missed while the connection is down. The caller calls stop.
func (b *Bus) Watch(ctx context.Context, subject string) (seen <-chan struct{}, stop func(), err error) {
	hint := make(chan struct{}, 1)
	sub, err := b.conn.Subscribe(subject, func(*nats.Msg) {
		select {
		case hint <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("watch %s: %w", subject, err)
	}
	stop = func() {
		if err := sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			b.log.Warn().Err(err).Str("subject", subject).Msg("cannot end a subscription")
		}
	}
	// Once the server has answered, no later event is missed.
	ctx, cancel := context.WithTimeout(ctx, flushWait)
	defer cancel()
	if err := b.conn.FlushWithContext(ctx); err != nil {
		stop()
		return nil, nil, fmt.Errorf("watch %s: %w", subject, err)
	}
	// A refusal comes before the answer.
	if refused, err := b.refusal(b.conn.LastError()); refused == subject {
		stop()
		return nil, nil, fmt.Errorf("watch %s: %w", subject, err)
	}
	return hint, stop, nil
}

func (b *Bus) outcomes(ctx context.Context) (_ *jetstream.StreamInfo, err error) {
	ctx, settle := b.permitted(ctx, StreamOutcomes)
	defer settle(&err)
	stream, err := b.js.Stream(ctx, StreamOutcomes)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", StreamOutcomes, err)
	}
	return stream.CachedInfo(), nil
}
