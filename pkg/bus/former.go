package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// formerDurables are those of versions that kept work under its public subject and
// in no lanes.
func formerDurables() []string { return []string{"analyzer-textfile", "analyzer-feed"} }

// TakeOverFormerWork brings what an installation of such a version left in the
// stream of work into the lanes, waiting or in the hands of a worker, and removes its
// durables. The stream must have its present settings. It can be run any number of
// times, and breaks off with the first error; a message is in the stream under the
// one subject or the other throughout.
func (b *Bus) TakeOverFormerWork(ctx context.Context) (err error) {
	ctx, settle := b.permitted(ctx, StreamWork)
	defer settle(&err)
	// A queue keeps the messages of a consumer that is removed, those included that
	// were handed out and not acknowledged.
	for _, durable := range formerDurables() {
		if err := b.js.DeleteConsumer(ctx, StreamWork, durable); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return fmt.Errorf("remove the consumer %s: %w", durable, err)
		}
	}
	work, err := b.js.Stream(ctx, StreamWork)
	if err != nil {
		return fmt.Errorf("stream %s: %w", StreamWork, err)
	}
	for _, subjects := range event.WorkSubjects() {
		for after := uint64(0); ; {
			msg, err := work.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(subjects))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				break
			}
			if err == nil {
				err = b.requeue(ctx, msg)
			}
			if err == nil {
				err = work.DeleteMsg(ctx, msg.Sequence)
			}
			if err != nil {
				return fmt.Errorf("take over former work: %w", err)
			}
			after = msg.Sequence
		}
	}
	return nil
}

// requeue publishes a message of the stream of work in a lane, unless a newer one of
// its item is in one.
func (b *Bus) requeue(ctx context.Context, msg *jetstream.RawStreamMsg) error {
	header := nats.Header{}
	for name, values := range msg.Header {
		if !strings.HasPrefix(name, "Nats-") {
			header[name] = values
		}
	}
	// Not its own id, under which it would be a duplicate of itself.
	id := fmt.Sprintf("former/%d/%d", msg.Sequence, msg.Time.UnixMilli())
	err := b.queue(ctx, &nats.Msg{Subject: msg.Subject, Header: header, Data: msg.Data}, id, "former", event.FlowOf(msg.Subject, msg.Data))
	switch {
	case errors.Is(err, ErrOutstanding):
		return nil
	case errors.Is(err, ErrFull):
		return fmt.Errorf("%w: give ASSAY_WORK_MAX_MESSAGES one more while this runs", err)
	}
	return err
}
