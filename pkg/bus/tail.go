package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrGone says that the stream no longer holds all outcomes after the asked
// sequence, so that a reader cannot resume there without a gap.
var ErrGone = errors.New("the outcomes after this position are gone")

// LastOutcome returns the sequence of the newest outcome, 0 when there was
// never one.
func (b *Bus) LastOutcome(ctx context.Context) (uint64, error) {
	info, err := b.outcomes(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.LastSeq, nil
}

// Tail calls deliver with each outcome after the given sequence, in order and
// without a gap, also over reconnects, until ctx ends or deliver returns an
// error, which Tail returns. It returns ErrGone when the stream has no
// unbroken record from there on, also when outcomes were removed while Tail
// was on its way to them.
func (b *Bus) Tail(ctx context.Context, after uint64, deliver func(Delivery) error) (err error) {
	ctx, settle := b.permitted(ctx, StreamOutcomes)
	defer settle(&err)
	info, err := b.outcomes(ctx)
	if err != nil {
		return err
	}
	if after > info.State.LastSeq || after+1 < info.State.FirstSeq {
		return ErrGone
	}
	ordered, err := b.js.OrderedConsumer(ctx, StreamOutcomes, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
	})
	if err != nil {
		return fmt.Errorf("tail of %s: %w", StreamOutcomes, err)
	}
	messages, err := ordered.Messages()
	if err != nil {
		return fmt.Errorf("tail of %s: %w", StreamOutcomes, err)
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("tail of %s: %w", StreamOutcomes, err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return fmt.Errorf("tail of %s: %w", StreamOutcomes, err)
		}
		delivery, err := Delivery{
			Subject: msg.Subject(), Data: msg.Data(), header: msg.Headers(),
			Attempt: 1, Sequence: meta.Sequence.Stream, Stored: meta.Timestamp,
		}.withEnvelope()
		if err != nil {
			b.log.Warn().Err(err).Str("subject", msg.Subject()).Msg("an outcome has unreadable headers")
		}
		if delivery.Sequence != after+1 {
			return ErrGone
		}
		if err := deliver(delivery); err != nil {
			return err
		}
		after = delivery.Sequence
	}
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
