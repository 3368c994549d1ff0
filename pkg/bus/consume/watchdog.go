package consume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Causes in assay_consumer_recreated_total.
const (
	causeMissing = "missing"
	causeStalled = "stalled"
	causeClock   = "clock"
)

// activity is what the workers of a process do, and what was last seen of their consumer.
type activity struct {
	began time.Time
	held  atomic.Int64 // number of workers waiting at the gate
	busy  atomic.Int64 // number of workers with a message
	freed atomic.Int64 // when a worker last passed the gate after waiting or ended a message, as time since began

	mu     sync.Mutex // held while a worker recreates the consumer, so that the others find the new consumer
	clock  time.Time  // time of the server at the last check
	looked time.Time  // time of the last check that found nothing to recreate
}

// gateWait is how long a worker must wait at a gate to count as blocked.
const gateWait = 100 * time.Millisecond

// gate waits at the consumer's gate and reports whether it blocked the worker.
func (w *consumerRun) gate(ctx context.Context) (held bool, err error) {
	if w.consumer.Gate == nil {
		return false, nil
	}
	w.held.Add(1)
	defer w.held.Add(-1)
	arrived := time.Now()
	if err := w.consumer.Gate(ctx); err != nil {
		if ctx.Err() != nil {
			return true, nil
		}
		return true, fmt.Errorf("gate of consumer %s: %w", w.consumer.Name, err)
	}
	if held = time.Since(arrived) > gateWait; held {
		w.free()
	}
	return held, nil
}

// working reports that a worker has a message, until it calls ended.
func (w *consumerRun) working() (ended func()) {
	w.busy.Add(1)
	return func() {
		w.free()
		w.busy.Add(-1)
	}
}

func (w *consumerRun) free() { w.freed.Store(int64(time.Since(w.began))) }

// watchEvery is the time between two checks of the consumer, in leases. The messages of a dead
// worker are redelivered by then.
const watchEvery = 2

// watch checks the consumer periodically, until ctx is done. Its workers check it only when they are
// idle.
func (w *consumerRun) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery * w.consumer.Lease)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := w.look(ctx, 0); err != nil && ctx.Err() == nil {
			w.log.Warn().Err(err).Str("consumer", w.consumer.Name).Msg("cannot check the consumer")
		}
	}
}

// look recreates missing consumers and streams, and reports a durable that has messages but delivers
// none. It does nothing if the last check is more recent than fresh.
func (w *consumerRun) look(ctx context.Context, fresh time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.looked) < fresh {
		return nil
	}
	infos, err := w.durables.infos(ctx)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
		return w.recreate(ctx, causeMissing)
	case err != nil:
		return err
	}
	if w.steppedBack(infos) && w.queue { // a stream other than a queue would be redelivered from its start
		return w.release(ctx)
	}
	for i, one := range w.durables.all {
		w.reportStall(one, infos[i])
		if !w.queue {
			continue
		}
		if err := w.clear(ctx, one, infos[i]); err != nil {
			return err
		}
	}
	w.looked = time.Now()
	return nil
}

// steppedBack reports whether the server's wall clock was stepped back by more than a
// lease while messages are delivered and not acknowledged. The server measures leases
// and delays by that clock, so it redelivers such messages only when the clock has
// caught up.
func (w *consumerRun) steppedBack(infos []*jetstream.ConsumerInfo) bool {
	pending, before := 0, w.clock
	for _, info := range infos {
		pending += info.NumAckPending
		w.clock = info.TimeStamp
	}
	return pending > 0 && before.Sub(w.clock) > w.consumer.Lease
}

// release deletes and recreates the durables, so that the server redelivers their
// unacknowledged messages. A message that a worker is still processing is then
// delivered twice, as after a lost lease.
func (w *consumerRun) release(ctx context.Context) error {
	w.log.Warn().Str("consumer", w.consumer.Name).Msg("the clock of the NATS server was stepped back; messages in progress are redelivered")
	if err := w.durables.delete(ctx); err != nil {
		return err
	}
	return w.recreate(ctx, causeClock)
}

// clear removes messages that the consumer has acknowledged from a queue: a server that is killed
// may have stored the acknowledgement but not the removal. It never delivers such a message, and
// searches for them only in streams of another kind (jetstream.go and checkForOrphanMsgs of
// nats-server 2.15.2). Without clear the item could never be queued again, because the stream
// accepts only one message per item.
func (w *consumerRun) clear(ctx context.Context, of *durable, info *jetstream.ConsumerInfo) error {
	queue, err := w.bus.JS.Stream(ctx, w.consumer.Stream)
	if err != nil {
		return err
	}
	for msg, err := range queue.After(ctx, cmp.Or(of.Filter, ">"), 0) {
		if err != nil {
			return fmt.Errorf("scan stream %s: %w", w.consumer.Stream, err)
		}
		if msg.Sequence > info.AckFloor.Stream {
			return nil
		}
		err = queue.DeleteMsg(ctx, msg.Sequence)
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			return nil // it is already removed, or the next check finds it again
		}
		if err != nil {
			return fmt.Errorf("remove %d from stream %s: %w", msg.Sequence, w.consumer.Stream, err)
		}
		w.log.Warn().Str("consumer", of.Name).Str("subject", msg.Subject).Uint64("sequence", msg.Sequence).
			Msg("removed an acknowledged message that a crash of the server left in the stream")
	}
	return nil
}

// stalledLeases is the number of leases for which a consumer may have messages
// and waiting workers without a delivery before it is reported.
const stalledLeases = 2

// reportStall reports a durable that has messages but delivers none to free workers.
func (w *consumerRun) reportStall(of *durable, info *jetstream.ConsumerInfo) {
	if w.held.Load() > 0 || w.busy.Load() >= int64(w.consumer.Parallel) {
		return
	}
	silence := time.Since(w.began) - time.Duration(w.freed.Load())
	if info.Delivered.Last != nil {
		silence = min(silence, info.TimeStamp.Sub(*info.Delivered.Last)) // both by the server's clock
	}
	waits := info.NumPending > 0 && info.NumAckPending < info.Config.MaxAckPending
	if waits && silence >= stalledLeases*w.consumer.Lease {
		w.metrics.recreated.WithLabelValues(w.consumer.Name, causeStalled).Inc()
		w.log.Error().Str("consumer", of.Name).Uint64("waiting", info.NumPending).Dur("silence_ms", silence).Bool("paused", info.Paused).
			Msg("messages wait and none is delivered; resubscribing")
	}
}

// recreate declares the durables again, and the streams if this process declares them. The server
// redelivers the content of the stream.
func (w *consumerRun) recreate(ctx context.Context, cause string) error {
	if err := w.bus.Redeclare(ctx); err != nil {
		return err
	}
	if err := w.durables.declare(ctx); err != nil {
		return fmt.Errorf("recreate consumer %s: %w", w.consumer.Name, err)
	}
	w.metrics.recreated.WithLabelValues(w.consumer.Name, cause).Inc()
	w.log.Error().Str("consumer", w.consumer.Name).Str("stream", w.consumer.Stream).Str("cause", cause).
		Msg("recreated the consumer; a sweep finds messages lost with it")
	return nil
}
