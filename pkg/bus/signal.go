package bus

import (
	"context"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/event"
)

// Signal sends an event to the programs that are listening. No stream stores it, and it may be
// lost.
func (b *Bus) Signal(e event.Event) error {
	data, err := e.Marshal()
	if err != nil {
		return err
	}
	return b.NATS.PublishMsg(&nats.Msg{Subject: e.Subject, Header: e.Headers("/" + b.source), Data: data})
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
