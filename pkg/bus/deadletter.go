package bus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

// ErrNoDeadLetter means that no dead letter has the sequence number.
var ErrNoDeadLetter = errors.New("the dead letter does not exist")

// DeadLetter is a message that a consumer gave up on, with the reason.
type DeadLetter struct {
	event.Envelope // zero if the message was not an event
	event.DeadLetter
	Sequence uint64 // sequence number among the dead letters; identifies it
	ReplayOf uint64 // sequence number of an earlier dead letter, whose replay failed; 0 if there is none
	Data     []byte
	header   nats.Header
}

// Trace returns the trace of the request that caused the message.
func (l DeadLetter) Trace() event.Trace { return event.ParseTrace(l.header) }

// DeadFilter selects dead letters. Its zero value selects all.
type DeadFilter struct {
	After    uint64 // only sequence numbers above this one
	Consumer string // consumer that gave up on the messages
	Class    event.DeadClass
	Reason   string    // a substring of the reason, case-insensitive
	From, To time.Time // range of Last: at or after From and before To
}

func (f DeadFilter) selects(l DeadLetter) bool {
	return (f.Class == "" || l.Class == f.Class) && strings.Contains(strings.ToLower(l.Reason), strings.ToLower(f.Reason)) &&
		(f.From.IsZero() || !l.Last.Before(f.From)) && (f.To.IsZero() || l.Last.Before(f.To))
}

// StoreDeadLetter stores a message that a consumer of a stream gave up on. All fields of the failure are set. It must
// succeed before the message is acknowledged.
func (b *Bus) StoreDeadLetter(ctx context.Context, consumer, stream string, d Delivery, f Failure) error {
	// The id includes the time, because a recreated stream counts from 1 again.
	id := fmt.Sprintf("dead/%s/%s/%d/%d", consumer, stream, d.Sequence, d.Stored.UnixMilli())
	return b.putDeadLetter(ctx, id, d.header, d.Data, event.DeadLetter{
		Consumer: consumer, Subject: d.Subject, Reason: f.Reason, Class: f.Class, Attempts: f.Attempts, First: d.Stored, Last: f.At,
	})
}

// RestoreDeadLetter stores a lost dead letter again, for an event that a consumer gave up on. The number of attempts is
// no longer known, and is 0 in the dead letter.
func (b *Bus) RestoreDeadLetter(ctx context.Context, consumer string, e event.Event, f Failure) error {
	msg, err := b.message(e)
	if err != nil {
		return err
	}
	if e.Tenant != "" {
		msg.Header[headerTenant] = []string{e.Tenant}
	}
	id := fmt.Sprintf("dead/%s/%s/%d", consumer, e.ID, f.At.UnixMilli())
	return b.putDeadLetter(ctx, id, msg.Header, msg.Data, event.DeadLetter{
		Consumer: consumer, Subject: e.Subject, Reason: f.Reason, Class: f.Class, First: e.Time, Last: f.At,
	})
}

// putDeadLetter stores the dead letter of a message.
func (b *Bus) putDeadLetter(ctx context.Context, id string, header nats.Header, data []byte, l event.DeadLetter) error {
	return b.publish(ctx, &nats.Msg{Subject: event.DeadOf(l.Consumer), Header: l.Headers(header), Data: data}, id, typeDead, "")
}

// DeadLetters returns the dead letters that exist when it is called, oldest first. It stops after
// the first error. Each dead letter takes one request to the server, including those that the
// filter excludes by reason or time.
func (b *Bus) DeadLetters(ctx context.Context, f DeadFilter) iter.Seq2[DeadLetter, error] {
	subject := event.DeadSubjects
	if f.Consumer != "" {
		subject = event.DeadOf(f.Consumer)
	}
	return func(yield func(DeadLetter, error) bool) {
		fail := func(err error) { yield(DeadLetter{}, fmt.Errorf("dead letters: %w", err)) }
		dead, err := b.JS.Stream(ctx, StreamDead)
		if err != nil {
			fail(err)
			return
		}
		newest := dead.CachedInfo().State.LastSeq
		for msg, err := range dead.After(ctx, subject, f.After) {
			if err != nil {
				fail(err)
				return
			}
			if msg.Sequence > newest {
				return
			}
			if deadLetter := readDeadLetter(msg); f.selects(deadLetter) && !yield(deadLetter, nil) {
				return
			}
		}
	}
}

// DeadCounts returns the number of dead letters of each consumer that has any.
func (b *Bus) DeadCounts(ctx context.Context) (map[string]uint64, error) {
	dead, err := b.JS.Stream(ctx, StreamDead)
	if err != nil {
		return nil, fmt.Errorf("count dead letters: %w", err)
	}
	info, err := dead.Info(ctx, jetstream.WithSubjectFilter(event.DeadSubjects))
	if err != nil {
		return nil, fmt.Errorf("count dead letters: %w", err)
	}
	counts := map[string]uint64{}
	for subject, n := range info.State.Subjects {
		counts[strings.TrimPrefix(subject, event.DeadOf(""))] = n
	}
	return counts, nil
}

// DeadLetter reads one dead letter. It returns ErrNoDeadLetter if there is none with the sequence
// number.
func (b *Bus) DeadLetter(ctx context.Context, sequence uint64) (DeadLetter, error) {
	dead, err := b.JS.Stream(ctx, StreamDead)
	if err != nil {
		return DeadLetter{}, err
	}
	msg, err := dead.Msg(ctx, sequence)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return DeadLetter{}, fmt.Errorf("%d: %w", sequence, ErrNoDeadLetter)
	}
	if err != nil {
		return DeadLetter{}, fmt.Errorf("dead letter %d: %w", sequence, err)
	}
	return readDeadLetter(msg), nil
}

// DropDead removes a dead letter permanently. It returns ErrNoDeadLetter if there is none with
// the sequence number.
func (b *Bus) DropDead(ctx context.Context, sequence uint64) error {
	if _, err := b.DeadLetter(ctx, sequence); err != nil {
		return err
	}
	dead, err := b.JS.Stream(ctx, StreamDead)
	if err == nil {
		err = dead.DeleteMsg(ctx, sequence)
	}
	if err != nil {
		return fmt.Errorf("drop dead letter %d: %w", sequence, err)
	}
	return nil
}

// Replay publishes the message of a dead letter unchanged to its original
// subject. If the same dead letter is replayed again within the duplicate window,
// the message is stored once. Errors are those of Publish.
func (b *Bus) Replay(ctx context.Context, l DeadLetter) error {
	id := fmt.Sprintf("replay/%d/%d", l.Sequence, l.Last.UnixMilli())
	msg := &nats.Msg{Subject: l.Subject, Header: event.OwnHeaders(l.header), Data: l.Data}
	ctx = WithReplay(ctx, l.Sequence)
	setReplay(ctx, msg.Header)
	// The message continues its own trace.
	replayed, span := obs.Continue(ctx, obs.WithTrace(ctx, obs.Trace(event.ParseTrace(msg.Header))), "replay")
	err := b.publish(replayed, msg, id, typeReplay, msg.Header.Get(headerTenant))
	obs.End(span, err)
	return err
}

type replayKey struct{}

// WithReplay returns a context in which published work events result from the replay of a dead letter. If one of them becomes a dead
// letter, its DeadLetter.ReplayOf is the sequence number.
func WithReplay(ctx context.Context, sequence uint64) context.Context {
	if sequence == 0 {
		return ctx
	}
	return context.WithValue(ctx, replayKey{}, sequence)
}

// setReplay writes the mark of WithReplay to the headers of a message.
func setReplay(ctx context.Context, header nats.Header) {
	if sequence, ok := ctx.Value(replayKey{}).(uint64); ok {
		header[headerReplayOf] = []string{strconv.FormatUint(sequence, 10)}
	}
}

func replayOf(header nats.Header) uint64 {
	sequence, err := strconv.ParseUint(header.Get(headerReplayOf), 10, 64)
	if err != nil {
		return 0 // no replay
	}
	return sequence
}

func readDeadLetter(msg *jetstream.RawStreamMsg) DeadLetter {
	l := DeadLetter{
		DeadLetter: event.ParseDeadLetter(msg.Header), Sequence: msg.Sequence, ReplayOf: replayOf(msg.Header), Data: msg.Data, header: msg.Header,
	}
	l.Envelope, _ = event.ParseEnvelope(msg.Header) // what is unreadable stays empty
	return l
}
