package consume

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

// durables are the server's consumers for one bus.Consumer: one per priority of a work stream,
// otherwise a single one.
type durables struct {
	js       *bus.JetStream
	consumer bus.Consumer
	all      []*durable
	names    []string
	turn     atomic.Uint32 // number of polls, which selects the priority to poll next
	began    time.Time
}

type durable struct {
	bus.Durable
	subject string       // subject of requests for its next message
	emptyAt atomic.Int64 // when it was last found empty, as time since durables.began; 0 for never
}

func newDurables(b *bus.Bus, c bus.Consumer) *durables {
	d := &durables{js: b.JS, consumer: c, began: time.Now()}
	for _, one := range b.Durables(c) {
		d.names = append(d.names, one.Name)
		d.all = append(d.all, &durable{Durable: one, subject: fmt.Sprintf("$JS.API.CONSUMER.MSG.NEXT.%s.%s", c.Stream, one.Name)})
	}
	return d
}

// waitingPlaces is the number of messages that may wait for their backoff at the same time without
// delaying others.
const waitingPlaces = 1000

// declare creates the durables or updates them to their declared settings, except for one whose settings are of a newer
// version.
func (d *durables) declare(ctx context.Context) error {
	for _, one := range d.all {
		want := jetstream.ConsumerConfig{
			Durable: one.Name, FilterSubject: one.Filter,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: d.consumer.Lease,
			MaxDeliver: -1, MaxAckPending: waitingPlaces + d.consumer.Parallel, Metadata: bus.WithSettings(nil),
		}
		have, err := d.js.ConsumerInfo(ctx, d.consumer.Stream, one.Name)
		switch {
		case err == nil && bus.NewerSettings(have.Config.Metadata):
			continue
		case err == nil:
			// The start position of a consumer cannot be changed.
			begun := have.Config
			want.DeliverPolicy, want.OptStartSeq, want.OptStartTime = begun.DeliverPolicy, begun.OptStartSeq, begun.OptStartTime
		case !errors.Is(err, jetstream.ErrConsumerNotFound):
			return err
		}
		if _, err := d.js.CreateOrUpdateConsumer(ctx, d.consumer.Stream, want); err != nil {
			return err
		}
	}
	return nil
}

func (d *durables) delete(ctx context.Context) error {
	for _, one := range d.all {
		if err := d.js.DeleteConsumer(ctx, d.consumer.Stream, one.Name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return fmt.Errorf("delete consumer %s on stream %s: %w", one.Name, d.consumer.Stream, err)
		}
	}
	return nil
}

// infos reads the states of the durables, in their order.
func (d *durables) infos(ctx context.Context) ([]*jetstream.ConsumerInfo, error) {
	all := make([]*jetstream.ConsumerInfo, len(d.all))
	for i, one := range d.all {
		info, err := d.js.ConsumerInfo(ctx, d.consumer.Stream, one.Name)
		if err != nil {
			return nil, fmt.Errorf("consumer %s on stream %s: %w", one.Name, d.consumer.Stream, err)
		}
		all[i] = info
	}
	return all, nil
}
