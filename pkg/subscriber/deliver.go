package subscriber

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// Outcomes of an attempt, in logs.
const (
	outcomeDone     = "done"
	outcomeRetry    = "retry"
	outcomeGivenUp  = "given_up"
	outcomeReturned = "returned"
)

// delivery is one delivery of an event.
type delivery struct {
	event.Envelope
	subject  string
	header   nats.Header
	data     []byte
	trace    event.Trace
	attempt  int // counted from 1 by the server
	sequence uint64
	stored   time.Time
}

func parse(msg *nats.Msg) (delivery, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return delivery{}, err
	}
	d := delivery{
		subject: msg.Subject, header: msg.Header, data: msg.Data, trace: event.ParseTrace(msg.Header),
		attempt: int(meta.NumDelivered), sequence: meta.Sequence.Stream, stored: meta.Timestamp,
	}
	d.Envelope, err = event.ParseEnvelope(msg.Header)
	return d, err
}

// panicError is a panic of a handler. Its text, which becomes the reason of a dead letter, omits the stack.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("the worker panicked: %v", e.value) }

// lostError means that no attempts are left, because the last one ended without a result.
type lostError struct{ attempts int }

func (e *lostError) Error() string {
	return fmt.Sprintf("gave up after attempt %d, in which the worker died or lost its connection", e.attempts)
}

// classOf returns the class of the dead letter of an event that was given up on because of err.
func classOf(err error) event.DeadClass {
	_, panicked := errors.AsType[*panicError](err)
	_, lost := errors.AsType[*lostError](err)
	switch {
	case panicked || lost:
		return event.DeadCrashed
	case errors.Is(err, event.ErrUnreadable):
		return event.DeadEvent
	}
	return event.DeadOther
}

// attempt makes one attempt at an event and settles its message.
func (s *subscription) attempt(ctx context.Context, msg *nats.Msg) {
	started := time.Now()
	d, err := parse(msg)
	stopRenewing := renew(msg, s.Lease)
	switch {
	case err != nil:
		err = Permanent(fmt.Errorf("%w: %w", event.ErrUnreadable, err))
	case d.attempt > s.Attempts:
		err = Permanent(&lostError{s.Attempts})
	default:
		err = call(ctx, func(ctx context.Context) error { return s.deliver(ctx, d) })
	}
	outcome, settled := s.settle(ctx, msg, d, err)
	stopRenewing()

	line := s.Log.Info()
	if err != nil {
		line = s.Log.Warn().Err(err)
	}
	if settled != nil {
		line = s.Log.Error().AnErr("settle", settled).AnErr("cause", err)
	}
	if panicked, ok := errors.AsType[*panicError](err); ok {
		line = line.Bytes("stack", panicked.stack)
	}
	if d.trace.RequestID != "" {
		line = line.Str("request_id", d.trace.RequestID)
	}
	line.Str("consumer", s.Name).Str("area", s.Area).Str("id", d.Item).Str("event", d.ID).
		Int("attempt", d.attempt).Dur("duration_ms", time.Since(started)).Str("outcome", outcome).Msg("attempt")
}

// abandonAfter is how long a handler may continue after its context is done.
const abandonAfter = 5 * time.Second

// call calls f in another goroutine, so that a handler that does not return cannot prevent Run from
// returning.
func call(ctx context.Context, f func(context.Context) error) error {
	result := make(chan error, 1)
	go func() {
		err := errors.New("the handler ended its goroutine")
		defer func() {
			if p := recover(); p != nil {
				err = &panicError{p, debug.Stack()}
			}
			result <- err
		}()
		err = f(ctx)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	last := time.NewTimer(abandonAfter)
	defer last.Stop()
	select {
	case err := <-result:
		return err
	case <-last.C:
		return ctx.Err()
	}
}

// deliver calls the handler and stores a dedupe marker, unless the event already has one.
func (s *subscription) deliver(ctx context.Context, d delivery) error {
	if d.ID == "" {
		return Permanent(errors.New("the event has no id"))
	}
	handle, err := s.decode(d)
	if err != nil {
		return Permanent(err)
	}
	if handle == nil {
		s.Log.Debug().Str("type", d.Type).Msg("skipped an event of an unknown type")
		return nil
	}
	leave, err := s.enter(ctx, d.ID)
	if err != nil {
		return err
	}
	defer leave()
	if done, err := s.done.has(ctx, d.ID); done || err != nil {
		return err
	}
	if err := handle(ctx); err != nil {
		return err
	}
	// The event has been handled, so the marker is stored even during shutdown.
	return s.done.set(context.WithoutCancel(ctx), d.ID)
}

// enter waits until no other delivery of the event is in progress. The caller must call leave when
// its own delivery has ended. enter returns an error if ctx is done first.
func (s *subscription) enter(ctx context.Context, id string) (leave func(), err error) {
	for {
		s.mu.Lock()
		other, busy := s.inProgress[id]
		if !busy {
			mine := make(chan struct{})
			s.inProgress[id] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.inProgress, id)
				s.mu.Unlock()
				close(mine)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// panicAttempts is the maximum number of attempts at an event whose handler panics.
const panicAttempts = 3

// settle acknowledges, returns or gives up on the message. After an error it is redelivered when its
// lease ends.
func (s *subscription) settle(ctx context.Context, msg *nats.Msg, d delivery, err error) (outcome string, settled error) {
	most := s.Attempts
	if _, panicked := errors.AsType[*panicError](err); panicked {
		most = min(panicAttempts, most)
	}
	_, permanent := errors.AsType[*permanentError](err)
	switch {
	case err == nil:
		return outcomeDone, msg.Ack()
	case ctx.Err() != nil:
		return outcomeReturned, msg.Nak()
	case !permanent && d.attempt < most:
		return outcomeRetry, msg.NakWithDelay(s.Backoff(d.attempt))
	}
	if failed := s.giveUp(ctx, d, err); failed != nil {
		return outcomeRetry, errors.Join(failed, msg.NakWithDelay(s.Backoff(d.attempt)))
	}
	return outcomeGivenUp, msg.Ack()
}

const (
	// deadTime limits the time to store a dead letter. A cluster elects a new leader in about 4 s.
	deadTime  = 15 * time.Second
	deadPause = 250 * time.Millisecond
)

// giveUp stores a dead letter.
func (s *subscription) giveUp(ctx context.Context, d delivery, reason error) error {
	ctx, cancel := context.WithTimeout(ctx, deadTime)
	defer cancel()
	defer context.AfterFunc(s.refused, cancel)()
	l := event.DeadLetter{
		Consumer: s.Name, Subject: d.subject, Reason: reason.Error(), Class: classOf(reason), Attempts: d.attempt, First: d.stored, Last: time.Now(),
	}
	msg := &nats.Msg{Subject: event.DeadOf(s.Name), Header: l.Headers(d.header), Data: d.data}
	// The id includes the time, because a recreated stream counts from 1 again.
	id := fmt.Sprintf("dead/%s/%s/%d/%d", s.Name, s.stream, d.sequence, d.stored.UnixMilli())
	_, err := s.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id), jetstream.WithRetryWait(deadPause), jetstream.WithRetryAttempts(int(deadTime/deadPause)))
	if err != nil {
		return fmt.Errorf("store the dead letter of %s: %w", d.ID, err)
	}
	return nil
}

// renew renews the lease of msg until stop is called.
func renew(msg *nats.Msg, lease time.Duration) (stop func()) {
	done := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(max(lease/3, time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if msg.InProgress() != nil {
				return // a lost renewal causes another delivery at worst
			}
		}
	})
	return func() {
		close(done)
		renewing.Wait()
	}
}
