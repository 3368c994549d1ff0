package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus/conn"
)

// take works on one message after the other, and looks after the consumer when
// none came or none could be asked for.
func (w *consumerRun) take(ctx, working context.Context) {
	for ctx.Err() == nil {
		err := w.pull(ctx, working)
		if errors.Is(err, conn.ErrForbidden) {
			w.end(err)
			return
		}
		if err = errors.Join(err, w.guard.look(ctx)); err == nil || ctx.Err() != nil {
			continue
		}
		w.bus.log.Warn().Err(err).Str("consumer", w.consumer.Name).Msg("cannot take work; trying again")
		pause(ctx)
	}
}

const (
	// mostWait is how long a request for a message waits at the server at most.
	mostWait = 30 * time.Second
	// priorityWait is how long a worker that found all priorities empty waits for the
	// highest, before it asks for all again: each time twice as long, up to
	// priorityMaxWait. Lower ones get work only when the highest has some.
	priorityWait    = 100 * time.Millisecond
	priorityMaxWait = 2 * time.Second
	// emptyFor is how long a priority that was found empty is not asked for.
	emptyFor = 100 * time.Millisecond
	// answerWait is how much later the server's word that there was none is missed.
	answerWait = 5 * time.Second
)

// pull works on the messages of one subscription until ctx ends, the connection
// was lost, or none came for a lease: to subscribe anew mends a subscription that
// the server knows no more.
//
// It asks for one message whenever its worker is free, and not before: a message
// that waited in a buffer behind long work would lose its lease there. The
// iterators of package jetstream ask too early after a reconnect, and with one
// message at a time sometimes not at all.
func (w *consumerRun) pull(ctx, working context.Context) (err error) {
	b := w.bus
	ctx, done := b.WithPermissionErrors(ctx, w.sources.names()...)
	defer done(&err)
	connection := b.Connected()
	inbox, err := b.NATS.SubscribeSync(b.NATS.NewInbox())
	if err != nil {
		return err
	}
	defer func() { _ = inbox.Unsubscribe() }() // fails when it has ended
	drain := func() { _ = inbox.Drain() }      // fails when it has ended
	defer context.AfterFunc(ctx, drain)()
	defer context.AfterFunc(connection, drain)()
	asking := w.sources.begin(min(w.consumer.Lease, mostWait))
	for ctx.Err() == nil && connection.Err() == nil {
		if held, err := w.guard.gate(ctx); err != nil {
			return err
		} else if held {
			asking.found() // nothing came because nothing was requested
			continue
		}
		at, wait := asking.next()
		request := []byte(`{"batch":1,"no_wait":true}`)
		if wait > 0 {
			request = fmt.Appendf(nil, `{"batch":1,"expires":%d}`, wait)
		}
		if err := b.NATS.PublishRequest(at.subject, inbox.Subject, request); err != nil {
			return err
		}
		msg, err := next(inbox, wait+answerWait)
		switch {
		case errors.Is(err, nats.ErrBadSubscription):
			return context.Cause(ctx) // next has ended it
		case err != nil:
			return err
		case msg.Reply != "":
			asking.found()
			w.work(working, msg)
		default:
			if err := refused(msg); err != nil {
				return err
			}
			if asking.empty(at); asking.silent() {
				return nil
			}
		}
	}
	return context.Cause(ctx)
}

// next returns the next message. After the given wait it ends the subscription. Of
// one that ends, for whatever reason, it still returns what was on its way: thrown
// away, it would come to another worker only after its lease. When there is none it
// returns nats.ErrBadSubscription.
func next(inbox *nats.Subscription, wait time.Duration) (*nats.Msg, error) {
	msg, err := inbox.NextMsg(wait)
	if !errors.Is(err, nats.ErrTimeout) {
		return msg, err
	}
	_ = inbox.Drain() // fails when it has ended
	return inbox.NextMsgWithContext(context.Background())
}

// refused reads the server's answer to a request that brought no message; it is
// nil when there was none in time. The codes are those of NATS ADR-13.
func refused(answer *nats.Msg) error {
	status, why := answer.Header.Get("Status"), answer.Header.Get("Description")
	switch status {
	case "404", "408":
		return nil
	case "503":
		return nats.ErrNoResponders // there is no such consumer, or its server is away
	}
	return fmt.Errorf("the server gives no message: %s %s", status, why)
}
