package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/bus/conn"
)

// Bounds are what one attempt may take.
type Bounds struct {
	// Time is after how long the handler's context ends. A handler that does not
	// return within as long again, 5 s at most, is left behind. 0 is no limit.
	Time time.Duration
	// Memory is how many bytes the attempt may grow to, of Consumer.Memory.
	Memory int64
}

// Consumer declares a durable consumer and what it does. Processes that
// consume under the same Name share the work.
type Consumer struct {
	// Name is the durable name, on a work stream with a priority appended, and
	// the last token of the dead letters' subject.
	Name   string
	Area   string // product area, for logs and metrics
	Stream string
	Filter string // subject filter; empty takes all of the stream
	// OnlyNew makes a consumer that does not exist yet begin with what comes
	// after its creation, instead of with all that the stream holds. One that
	// exists goes on where it is.
	OnlyNew bool

	// Parallel is how many deliveries this process works on at once. Default 1.
	Parallel int
	// Lease is how long a worker may be silent before another gets its
	// message. It is renewed every third of it while the handler runs.
	// Default 30 s.
	Lease time.Duration
	// Attempts is how many deliveries a message gets, counted before the work,
	// so that an input that kills the process runs out of them too; one that was
	// given back because its worker was told to stop is none of them. Default
	// 12, which with the default Backoff outlasts an engine's outage of a
	// quarter of an hour. A handler that panics, or takes longer than its
	// bounds allow, has 3 at most: time does not mend that.
	Attempts int
	// Bounds says what an attempt at a delivery may take, and may leave in its Event
	// what it read for that. Optional; without it there are none.
	Bounds func(*Delivery) Bounds
	// Memory is how many bytes the attempts of this process may take together
	// by their Bounds; others wait until some ends. 0 bounds nothing.
	Memory int64
	// Abandoned is how many handlers that do not return may be left behind.
	// One more ends Consume with attempt.ErrAbandoned. Default 8.
	Abandoned int
	// AbandonedFor is how long one of them may go on, since it may be a loop that
	// takes a processor. Longer ends Consume in the same way. Default 5 min.
	AbandonedFor time.Duration
	// Backoff is the pause after the given failed attempt. The default doubles
	// from 1 s up to 5 min.
	Backoff func(attempt int) time.Duration
	// Drain is how long handlers may go on once the context of Consume has
	// ended, before theirs ends too. Default 10 s.
	Drain time.Duration

	// Gate is called before a message is requested and returns nil once one may be: it
	// blocks while something that all of the work needs is unavailable, so that messages
	// wait in the stream and use no attempts. It returns an error when ctx ends; after
	// another error it is called again. Optional.
	Gate func(ctx context.Context) error
	// Handle works on one delivery. It never acknowledges; it returns. nil says
	// that everything the message causes is durable, Permanent that no attempt
	// can mend it, Later that it is delivered again without using an attempt, any other error
	// that another attempt may.
	Handle func(context.Context, Delivery) error
	// GiveUp is called before a message is given up, with the reason, to move
	// the item to its failed state. It may be called again for the same message
	// when it returns an error or the dead letter cannot be stored. It returns the
	// time of the failure as the item has it, which becomes DeadLetter.Last, so that
	// the two can be compared whatever the clocks say; zero for now. Optional.
	GiveUp func(context.Context, Delivery, error) (time.Time, error)
}

func (c Consumer) withDefaults() Consumer {
	c.Parallel = max(c.Parallel, 1)
	if c.Lease <= 0 {
		c.Lease = 30 * time.Second
	}
	if c.Attempts <= 0 {
		c.Attempts = 12
	}
	if c.Backoff == nil {
		c.Backoff = doubling
	}
	if c.Drain <= 0 {
		c.Drain = 10 * time.Second
	}
	if c.Bounds == nil {
		c.Bounds = func(*Delivery) Bounds { return Bounds{} }
	}
	if c.Abandoned <= 0 {
		c.Abandoned = 8
	}
	if c.AbandonedFor <= 0 {
		c.AbandonedFor = 5 * time.Minute
	}
	if c.GiveUp == nil {
		c.GiveUp = func(context.Context, Delivery, error) (time.Time, error) { return time.Time{}, nil }
	}
	return c
}

func doubling(attempt int) time.Duration {
	const most = 5 * time.Minute
	return min(time.Second<<min(max(attempt-1, 0), 16), most)
}

// waitingPlaces is how many messages may wait out their backoff at once
// without keeping others from being delivered.
const waitingPlaces = 1000

// Consume works on messages until ctx ends, then stops taking, lets handlers
// finish for c.Drain, gives back the rest, and returns nil. It returns an
// error when the consumer cannot be created, and attempt.ErrAbandoned, after it has
// drained in the same way, when the process should be started anew. So does
// conn.ErrForbidden, when this user may not take messages.
func (b *Bus) Consume(ctx context.Context, c Consumer) error {
	c = c.withDefaults()
	from := newSources(b, c)
	began, err := b.newest(ctx, c.Stream)
	if err == nil {
		err = b.declare(ctx, c, from, began)
	}
	for away(err) && ctx.Err() == nil {
		b.log.Warn().Err(err).Str("consumer", c.Name).Msg("cannot declare the consumer; trying again")
		pause(ctx)
		if began.stream == "" {
			began, err = b.newest(ctx, c.Stream)
		}
		if began.stream != "" {
			err = b.declare(ctx, c, from, began)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("consumer %s on stream %s: %w", c.Name, c.Stream, err)
	}

	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(c.Drain, stop)
		context.AfterFunc(working, func() { timer.Stop() })
	})()

	w := &consumerRun{
		bus: b, consumer: c, end: end, sources: from, guard: newWatchdog(b, c, from, began),
		attempts: newLog(b, c, began.sequence),
		limiter: attempt.NewLimiter(attempt.Limits{Parallel: c.Parallel, Memory: c.Memory, Abandoned: c.Abandoned, AbandonedFor: c.AbandonedFor},
			b.metrics.abandoned.WithLabelValues(c.Name, c.Area), end),
	}
	var workers sync.WaitGroup
	workers.Go(func() { w.guard.watch(ctx) })
	for range c.Parallel {
		workers.Go(func() { w.take(ctx, working) })
	}
	workers.Wait()
	switch err := context.Cause(ctx); {
	case errors.Is(err, conn.ErrForbidden):
		return fmt.Errorf("consumer %s on stream %s: %w", c.Name, c.Stream, err)
	case errors.Is(err, attempt.ErrAbandoned):
		b.log.Error().Str("consumer", c.Name).Int64("abandoned", w.limiter.Abandoned()).
			Msg("attempts do not return; this process takes no more work and should be started anew")
		return fmt.Errorf("consumer %s: %w", c.Name, err)
	}
	return nil
}

// Error codes of the server, from its errors.json: its cluster has no leader; a
// consumer could not be made, or was removed before the server could tell of it.
const (
	codeNoLeader jetstream.ErrorCode = 10008
	codeNotMade  jetstream.ErrorCode = 10012
)

// away says that the server did not answer, that its cluster cannot, or that it made
// no consumer for no reason of ours; another try may succeed.
func away(err error) bool {
	if api, refused := errors.AsType[*jetstream.APIError](err); refused {
		return api.ErrorCode == codeNoLeader || api.ErrorCode == codeNotMade
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
}

// pause is the rest between tries at what a server refused or did not answer.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// position is a place in a stream. It is a sequence and not a time, since the clocks of
// two machines differ.
type position struct {
	stream   string
	queue    bool // whether a message leaves the stream when it is acknowledged
	sequence uint64
	clock    time.Time // the latest that the clock of the server is known to have been at
}

// newest returns the position of the newest message of a stream.
func (b *Bus) newest(ctx context.Context, name string) (position, error) {
	stream, err := b.JS.Stream(ctx, name)
	if err != nil {
		return position{}, err
	}
	info := stream.CachedInfo()
	at := position{
		stream: name, queue: info.Config.Retention == jetstream.WorkQueuePolicy,
		sequence: info.State.LastSeq, clock: info.TimeStamp,
	}
	if info.State.LastTime.After(at.clock) {
		at.clock = info.State.LastTime // it was stepped back since
	}
	return at, nil
}

// settings are those the server keeps of one of the consumer's durables. One for new
// messages only begins after the given position.
func (c Consumer) settings(of *source, after position) jetstream.ConsumerConfig {
	want := jetstream.ConsumerConfig{
		Durable: of.durable, FilterSubject: of.filter,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.Lease,
		MaxDeliver: -1, MaxAckPending: waitingPlaces + c.Parallel,
	}
	if c.OnlyNew {
		want.DeliverPolicy, want.OptStartSeq = jetstream.DeliverByStartSequencePolicy, after.sequence+1
	}
	return want
}

// declare creates the consumer, or brings it to its declared settings.
func (b *Bus) declare(ctx context.Context, c Consumer, from *sources, after position) error {
	for _, source := range from.all {
		want := c.settings(source, after)
		have, err := b.JS.ConsumerInfo(ctx, c.Stream, source.durable)
		switch {
		case err == nil:
			// The server lets no one change where a consumer began.
			begun := have.Config
			want.DeliverPolicy, want.OptStartSeq, want.OptStartTime = begun.DeliverPolicy, begun.OptStartSeq, begun.OptStartTime
		case !errors.Is(err, jetstream.ErrConsumerNotFound):
			return err
		}
		if err := b.JS.CreateOrUpdateConsumer(ctx, c.Stream, want); err != nil {
			return err
		}
	}
	return nil
}
