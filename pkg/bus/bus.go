// Package bus carries events over NATS JetStream: it declares the streams, publishes,
// admits work, and stores and replays dead letters. A request that the server does not permit fails
// immediately with ErrForbidden; the client library alone would report a timeout. Packages that build
// on this one: consume runs the consumers, and tail reads outcomes.
//
// Delivery is at least once: the tables are authoritative, and a lost message is sent again. Ids
// are therefore deterministic, and handlers may run twice. An acknowledgement is not a fence: NATS
// also accepts it from a worker that has lost its lease. The conditional writes of package
// lifecycle prevent two workers from doing the same work.
package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// Source returns the name of the publishing service.
func (b *Bus) Source() string { return b.source }

// Declares reports whether this process declares the streams.
func (b *Bus) Declares() bool { return b.declares }

// Redeclare creates the streams that were deleted since Connect. It does nothing after Join.
func (b *Bus) Redeclare(ctx context.Context) error {
	if !b.declares {
		return nil
	}
	return b.declare(ctx)
}

// Publish sends e and returns once the stream has stored it on disk. If the same event is
// published again within the duplicate window, the stream stores it once. Publish retries while no
// stream leader responds, for 15 s or until ctx is done. It does not fail because of a backlog:
// see Admit. It returns ErrFull if the stream has reached its size limit, ErrStorageFull if the
// server's storage is used up, and ErrOutstanding if the stream has work for the same item under
// another id. It immediately returns ErrForbidden if this user may not publish there,
// nats.ErrMaxPayload for an event that is larger than the server's limit, and
// nats.ErrConnectionClosed after Close.
func (b *Bus) Publish(ctx context.Context, e event.Event) error {
	msg, err := b.message(e)
	if err != nil {
		return err
	}
	return b.publish(ctx, msg, e.ID, e.Type(), e.Tenant)
}

// message returns the message of an event.
func (b *Bus) message(e event.Event) (*nats.Msg, error) {
	data, err := e.Marshal()
	return &nats.Msg{Subject: e.Subject, Header: e.Headers("/" + b.source), Data: data}, err
}

// publish stores a message. It assigns a priority to a work event.
func (b *Bus) publish(ctx context.Context, msg *nats.Msg, id, kind, tenant string) error {
	for _, q := range b.work {
		if q.Stores(msg.Subject) {
			return q.publish(ctx, msg, id, kind, tenant)
		}
	}
	_, err := b.send(ctx, msg, id, kind)
	return err
}

// Ensure publishes an event unless a message of the same item is outstanding.
func (b *Bus) Ensure(ctx context.Context, e event.Event) error {
	if err := b.Publish(ctx, e); !errors.Is(err, ErrOutstanding) {
		return err
	}
	return nil
}

// Republish is like Publish, for an outcome that was probably published before. It sends nothing
// if e is the newest event of its subject in the stream, regardless of its age.
func (b *Bus) Republish(ctx context.Context, e event.Event) error {
	newest, err := b.JS.LastMsg(ctx, StreamOutcomes, e.Subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
		return b.Publish(ctx, e)
	case err != nil:
		return err
	}
	if envelope, err := event.ParseEnvelope(newest.Header); err == nil && envelope.ID == e.ID {
		return nil
	}
	return b.Publish(ctx, e)
}

// Message is a message of a Queue.
type Message struct {
	Subject string
	ID      string // messages with the same id are stored once within the duplicate window
	Type    string // type of the message in metrics
	Data    []byte
}

// PublishMessage is like Publish, for a message other than an event.
func (b *Bus) PublishMessage(ctx context.Context, m Message) error {
	return b.publish(ctx, &nats.Msg{Subject: m.Subject, Header: nats.Header{}, Data: m.Data}, m.ID, m.Type, "")
}

// Admit reports whether more work of a work stream may be accepted for a tenant: it returns nil,
// fair.ErrFull, fair.ErrTenantFull or fair.ErrBacklogUnknown. The empty tenant means that the
// tenant is not yet known. It is called before external work is accepted; work that follows from
// accepted work is published without it.
func (b *Bus) Admit(ctx context.Context, stream, tenant string) error {
	q, ok := b.work[stream]
	if !ok {
		return fmt.Errorf("%s is not a work stream", stream)
	}
	if tenant != "" {
		tenant = tenantToken(tenant)
	}
	return q.backlog.Admit(ctx, tenant)
}

// Outstanding reports whether a work stream has a message of this subject and tenant,
// which a worker is processing or will receive.
func (b *Bus) Outstanding(ctx context.Context, subject, tenant string) (bool, error) {
	for _, q := range b.work {
		if !q.Stores(subject) {
			continue
		}
		_, err := q.message(ctx, subject, tenant)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	return false, fmt.Errorf("no work stream stores %s", subject)
}

// Durables returns the durables of a consumer: for a work stream one per priority, highest first,
// otherwise a single one.
func (b *Bus) Durables(c Consumer) []Durable {
	if q, ok := b.work[c.Stream]; ok {
		return q.Durables(c.Name, c.Filter)
	}
	return []Durable{{c.Name, c.Filter}}
}

// Version returns the highest version of messages of a stream that this process supports.
func (b *Bus) Version(stream string) int {
	if q, ok := b.work[stream]; ok {
		return max(q.Work.Version, 1)
	}
	return 1
}

// Messages reads the oldest messages of a subject of a stream, like Stream.Messages.
func (b *Bus) Messages(ctx context.Context, stream, subject string, limit int) ([]*jetstream.RawStreamMsg, error) {
	found, err := b.JS.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	return found.Messages(ctx, subject, limit)
}

// Signal sends an event to the programs that are listening. No stream stores it, and it may be
// lost.
func (b *Bus) Signal(e event.Event) error {
	msg, err := b.message(e)
	if err != nil {
		return err
	}
	return b.NATS.PublishMsg(msg)
}

// Listen calls see for each event that Signal sends to the subjects, sequentially, until ctx is done. It
// skips messages without the headers of an event.
func (b *Bus) Listen(ctx context.Context, subjects string, see func(Delivery)) error {
	subscription, err := b.NATS.Subscribe(subjects, func(msg *nats.Msg) {
		if envelope, err := event.ParseEnvelope(msg.Header); err == nil {
			see(Delivery{Envelope: envelope, Subject: msg.Subject, Data: msg.Data, Attempt: 1, header: msg.Header})
		}
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return subscription.Unsubscribe()
}
