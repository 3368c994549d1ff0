package bus

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

// headerTenant is a header of a message on a work stream in addition to those of its event. A replay uses it.
const headerTenant = "assay-tenant"

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

// WithTrace returns ctx with the publisher's request id and trace context.
func (d Delivery) WithTrace(ctx context.Context) context.Context {
	return obs.WithTrace(ctx, obs.Trace(event.ParseTrace(d.header)))
}
