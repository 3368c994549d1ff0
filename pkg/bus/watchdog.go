package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Reasons of assay_consumer_recreated_total.
const (
	causeMissing = "missing"
	causeStalled = "stalled"
)

// stalledLeases is how many leases a consumer may have messages for its
// workers, workers that wait, and no delivery.
const stalledLeases = 2

// watchdog looks after one consumer for the workers of a process that got
// nothing for a lease. Each of them then subscribes anew, which mends a lost
// subscription; what is left is a consumer that vanished, or a stream.
type watchdog struct {
	bus      *Bus
	consumer Consumer
	sources  *sources
	began    time.Time

	mu sync.Mutex // so that one worker recreates, and the others find it there
}

// look creates what is missing, and tells of a durable that has messages and
// hands none out.
func (w *watchdog) look(ctx context.Context) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.consumer
	ctx, settle := w.bus.permitted(ctx, w.sources.names()...)
	defer settle(&err)
	for _, source := range w.sources.all {
		have, err := w.bus.js.Consumer(ctx, c.Stream, source.durable)
		switch {
		case errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
			return w.recreate(ctx)
		case err != nil:
			return fmt.Errorf("consumer %s on stream %s: %w", source.durable, c.Stream, err)
		}
		w.silence(source, have.CachedInfo())
		if err := w.clear(ctx, source, have.CachedInfo()); err != nil {
			return err
		}
	}
	return nil
}

// clearAfter is how many leases after a start, or a connection that is back, the
// consumer is looked at: what dead workers held has come again by then.
const clearAfter = 2

// watch looks at the consumer some time after each start of its server, until ctx
// ends. Its workers look only when they have nothing to do.
func (w *watchdog) watch(ctx context.Context) {
	for ctx.Err() == nil {
		connection := w.bus.connection()
		select {
		case <-ctx.Done():
			return
		case <-time.After(clearAfter * w.consumer.Lease):
		}
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.bus.log.Warn().Err(err).Str("consumer", w.consumer.Name).Msg("cannot look after the consumer")
		}
		select {
		case <-ctx.Done():
		case <-connection.Done():
		}
	}
}

// clear removes from a queue what its consumer has acknowledged: a server that is
// killed may have written the one down and not that the message left. It hands such a
// message out to nobody, ever, and looks for them in streams of another kind only
// (jetstream.go and checkForOrphanMsgs of nats-server 2.15.2); the item could never be
// tried again, since the stream takes one message of it.
func (w *watchdog) clear(ctx context.Context, source *source, info *jetstream.ConsumerInfo) (err error) {
	stream := w.consumer.Stream
	if stream != StreamWork && stream != StreamNotices {
		return nil
	}
	ctx, settle := w.bus.permitted(ctx, stream)
	defer settle(&err)
	queue, err := w.bus.js.Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("stream %s: %w", stream, err)
	}
	for {
		msg, err := queue.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(cmp.Or(source.filter, ">")))
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && msg.Sequence > info.AckFloor.Stream {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look through stream %s: %w", stream, err)
		}
		err = queue.DeleteMsg(ctx, msg.Sequence)
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			return nil // its acknowledgement came to its end meanwhile; else it is found again
		}
		if err != nil {
			return fmt.Errorf("remove %d from stream %s: %w", msg.Sequence, stream, err)
		}
		w.bus.log.Warn().Str("consumer", source.durable).Str("subject", msg.Subject).Uint64("sequence", msg.Sequence).
			Msg("removed a message that was acknowledged and stayed behind when the server died")
	}
}

// silence tells of a durable that has messages and hands none out.
func (w *watchdog) silence(source *source, info *jetstream.ConsumerInfo) {
	c := w.consumer
	silence := time.Since(w.began)
	if info.Delivered.Last != nil {
		silence = min(silence, info.TimeStamp.Sub(*info.Delivered.Last)) // both by the server's clock
	}
	waits := info.NumPending > 0 && info.NumAckPending < info.Config.MaxAckPending
	if waits && silence >= stalledLeases*c.Lease {
		w.bus.metrics.recreated.WithLabelValues(c.Name, causeStalled).Inc()
		w.bus.log.Error().Str("consumer", source.durable).Uint64("waiting", info.NumPending).Dur("silence_ms", silence).Bool("paused", info.Paused).
			Msg("messages wait and none is handed out; subscribing anew")
	}
}

// recreate makes the durables that were there when Consume began, and the
// streams if this bus declares them. What the stream holds comes again; a
// consumer that began with what was new gets what came since it did.
func (w *watchdog) recreate(ctx context.Context) error {
	c := w.consumer
	if w.bus.declares {
		if err := w.bus.reconcile(ctx); err != nil {
			return err
		}
	}
	for _, source := range w.sources.all {
		if _, err := w.bus.js.CreateOrUpdateConsumer(ctx, c.Stream, c.settings(source, w.began)); err != nil {
			return fmt.Errorf("recreate consumer %s on stream %s: %w", source.durable, c.Stream, err)
		}
	}
	w.bus.metrics.recreated.WithLabelValues(c.Name, causeMissing).Inc()
	w.bus.log.Error().Str("consumer", c.Name).Str("stream", c.Stream).
		Msg("the consumer was gone and is there again; a sweep finds what was lost with it")
	return nil
}
