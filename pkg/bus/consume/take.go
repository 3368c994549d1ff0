package consume

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus"
)

// take runs one worker. It processes messages sequentially, and checks the consumer when no message
// arrived or none could be requested.
func (w *consumerRun) take(ctx, working context.Context) {
	for ctx.Err() == nil {
		err := w.pull(ctx, working)
		if errors.Is(err, bus.ErrForbidden) {
			w.end(err)
			return
		}
		fresh := w.consumer.Lease / 2 // idle workers become silent at about the same time, and one check is enough
		if err != nil {
			fresh = 0
		}
		if err = errors.Join(err, w.look(ctx, fresh)); err == nil || ctx.Err() != nil {
			continue
		}
		w.log.Warn().Err(err).Str("consumer", w.consumer.Name).Msg("cannot fetch work; retrying")
		pause(ctx)
	}
}

// answerWait is the extra time that a response to a request may take beyond the
// request's wait.
const answerWait = 5 * time.Second

// pull processes the messages of one subscription until ctx is done, the connection is lost, or
// none arrives within a lease, so that a new subscription replaces one that the server has
// forgotten.
//
// It requests a message only when its worker is free, because a message that waited in a buffer
// behind long work would lose its lease. The iterators of package jetstream request too early after
// a reconnect, and with one message at a time sometimes not at all.
func (w *consumerRun) pull(ctx, working context.Context) (err error) {
	b := w.bus
	ctx, done := b.WithPermissionErrors(ctx, w.durables.names...)
	defer done(&err)
	connection := b.Connected()
	inbox, err := b.NATS.SubscribeSync(b.NATS.NewInbox())
	if err != nil {
		return err
	}
	defer func() { _ = inbox.Unsubscribe() }() // fails if the subscription has ended
	drain := func() { _ = inbox.Drain() }      // fails if the subscription has ended
	defer context.AfterFunc(ctx, drain)()
	defer context.AfterFunc(connection, drain)()
	order := newPoll(w.durables)
	for ctx.Err() == nil && connection.Err() == nil {
		if held, err := w.gate(ctx); err != nil {
			return err
		} else if held {
			order.found() // no message arrived because none was requested
			continue
		}
		at, wait := order.request()
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
			return context.Cause(ctx) // next has ended the subscription
		case err != nil:
			return err
		case msg.Reply != "":
			order.found()
			w.work(working, msg)
		default:
			if err := refused(msg); err != nil {
				return err
			}
			if order.empty(at); order.silent() {
				return nil
			}
		}
	}
	return context.Cause(ctx)
}

// next returns the next message. After the given wait it ends the subscription. From a
// subscription that has ended it still returns a message that was already in transit:
// if dropped, it would be delivered to another worker only after its lease. If there is
// none, next returns nats.ErrBadSubscription.
func next(inbox *nats.Subscription, wait time.Duration) (*nats.Msg, error) {
	msg, err := inbox.NextMsg(wait)
	if !errors.Is(err, nats.ErrTimeout) {
		return msg, err
	}
	_ = inbox.Drain() // fails if the subscription has ended
	return inbox.NextMsgWithContext(context.Background())
}

// refused returns the error in a response without a message, or nil if no message arrived in time.
// NATS ADR-13 defines the codes.
func refused(answer *nats.Msg) error {
	status, why := answer.Header.Get("Status"), answer.Header.Get("Description")
	switch status {
	case "404", "408":
		return nil
	case "503":
		return nats.ErrNoResponders // the consumer does not exist, or its server does not respond
	}
	return fmt.Errorf("the server returned no message: %s %s", status, why)
}
