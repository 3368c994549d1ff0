package subscriber

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// subscription is one call of Run or RunNodes.
type subscription struct {
	Config
	stream, subjects string
	// decode returns the call of the handler for an event, nil for an event of an unknown type.
	decode func(delivery) (handle func(context.Context) error, err error)

	nc    *nats.Conn
	js    jetstream.JetStream
	done  markers
	began uint64 // sequence of the newest event at the start
	// refused is done when the server has denied a request, which then gets no response.
	refused context.Context

	mu         sync.Mutex
	connected  context.Context // see connection
	lost       context.CancelFunc
	inProgress map[string]chan struct{} // by event id; closed when the handler has returned

	checking sync.Mutex // held while a worker checks the consumer, so that the others find the new one
}

func run(ctx context.Context, cfg Config, stream, subjects string, decode func(delivery) (func(context.Context) error, error)) error {
	if err := cfg.validate(); err != nil {
		return err
	}
	s := &subscription{Config: cfg.withDefaults(), stream: stream, subjects: subjects, decode: decode, inProgress: map[string]chan struct{}{}}
	s.connected, s.lost = context.WithCancel(context.Background())
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	refused, refuse := context.WithCancelCause(context.Background())
	defer refuse(nil)
	s.refused = refused
	defer context.AfterFunc(refused, func() { end(context.Cause(refused)) })()
	if err := s.connect(refuse); err != nil {
		return err
	}
	defer s.close()
	err := s.prepare(ctx)
	if err == nil {
		s.work(ctx)
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, nats.ErrPermissionViolation):
		return fmt.Errorf("subscriber %s: %w", s.Name, cause)
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// withDefaults applies the defaults that Config documents.
func (c Config) withDefaults() Config {
	c.Parallel = max(c.Parallel, 1)
	if c.Attempts <= 0 {
		c.Attempts = 12
	}
	if c.Lease <= 0 {
		c.Lease = 30 * time.Second
	}
	if c.Drain <= 0 {
		c.Drain = 10 * time.Second
	}
	if c.Backoff == nil {
		c.Backoff = func(attempt int) time.Duration {
			return min(time.Second<<min(max(attempt-1, 0), 16), 5*time.Minute)
		}
	}
	return c
}

// prepare opens the markers and declares the consumer.
func (s *subscription) prepare(ctx context.Context) error {
	stream, err := s.js.Stream(ctx, s.stream)
	if err != nil {
		return fmt.Errorf("stream %s: %w", s.stream, err)
	}
	s.began = stream.CachedInfo().State.LastSeq
	if s.done, err = openMarkers(ctx, s.js, s.Name, stream.CachedInfo().Config); err != nil {
		return err
	}
	err = s.declare(ctx)
	if unavailable(err) {
		s.Log.Warn().Err(err).Str("consumer", s.Name).Msg("cannot declare the consumer; retrying")
		return nil // the workers find that there is none
	}
	return err
}

// Error codes of the server, from its errors.json: its cluster has no leader; a consumer could not be
// created, or was removed before the server could report it.
const (
	codeNoLeader   jetstream.ErrorCode = 10008
	codeNotCreated jetstream.ErrorCode = 10012
)

// unavailable reports whether a retry may succeed: the server did not respond, its cluster has no
// leader, or it could not create a consumer for an internal reason.
func unavailable(err error) bool {
	if api, refused := errors.AsType[*jetstream.APIError](err); refused {
		return api.ErrorCode == codeNoLeader || api.ErrorCode == codeNotCreated
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
}

// waitingPlaces is the number of events that may wait for their backoff at the same time without
// delaying others.
const waitingPlaces = 1000

// declare creates the consumer or updates it to its declared settings. The start position of an
// existing one cannot be changed.
func (s *subscription) declare(ctx context.Context) error {
	want := jetstream.ConsumerConfig{
		Durable: s.Name, FilterSubject: s.subjects,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.Lease,
		MaxDeliver: -1, MaxAckPending: waitingPlaces + s.Parallel,
	}
	if s.OnlyNew {
		want.DeliverPolicy, want.OptStartSeq = jetstream.DeliverByStartSequencePolicy, s.began+1
	}
	have, err := s.js.Consumer(ctx, s.stream, s.Name)
	if err == nil {
		begun := have.CachedInfo().Config
		want.DeliverPolicy, want.OptStartSeq, want.OptStartTime = begun.DeliverPolicy, begun.OptStartSeq, begun.OptStartTime
	}
	if err == nil || errors.Is(err, jetstream.ErrConsumerNotFound) {
		_, err = s.js.CreateOrUpdateConsumer(ctx, s.stream, want)
	}
	if err != nil {
		return fmt.Errorf("consumer %s on stream %s: %w", s.Name, s.stream, err)
	}
	return nil
}

// check declares the consumer again if it has disappeared. The server then redelivers the events in
// the stream; a subscriber of new events receives those stored since Run began.
func (s *subscription) check(ctx context.Context) error {
	s.checking.Lock()
	defer s.checking.Unlock()
	_, err := s.js.Consumer(ctx, s.stream, s.Name)
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	stream, err := s.js.Stream(ctx, s.stream)
	if err != nil {
		return fmt.Errorf("stream %s: %w", s.stream, err)
	}
	if stream.CachedInfo().State.LastSeq < s.began {
		s.began = 0 // the stream itself is new
	}
	if err := s.declare(ctx); err != nil {
		return err
	}
	s.Log.Error().Str("consumer", s.Name).Str("stream", s.stream).Msg("created the consumer again")
	return nil
}

// work handles events until ctx is done, and then waits for the handlers in progress, up to s.Drain.
func (s *subscription) work(ctx context.Context) {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(s.Drain, stop)
		context.AfterFunc(working, func() { timer.Stop() })
	})()
	var workers sync.WaitGroup
	for range s.Parallel {
		workers.Go(func() { s.take(ctx, working) })
	}
	workers.Wait()
}

// take runs one worker. It handles events sequentially, and checks the consumer when no event arrived
// or none could be requested.
func (s *subscription) take(ctx, working context.Context) {
	for ctx.Err() == nil {
		err := errors.Join(s.pull(ctx, working), s.check(ctx))
		if err == nil || ctx.Err() != nil {
			continue
		}
		s.Log.Warn().Err(err).Str("consumer", s.Name).Msg("cannot fetch events; retrying")
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

const (
	// mostWait is the maximum time that a request for an event waits at the server.
	mostWait = 30 * time.Second
	// answerWait is the extra time that a response to a request may take.
	answerWait = 5 * time.Second
)

// pull handles events until ctx is done, the connection is lost, or none arrives within a lease.
//
// It requests an event only when its worker is free, because an event that waited in a buffer behind
// a slow handler would lose its lease. The iterators of package jetstream request too early after a
// reconnect, and with one event at a time sometimes not at all.
func (s *subscription) pull(ctx, working context.Context) error {
	connection := s.connection()
	inbox, err := s.nc.SubscribeSync(s.nc.NewInbox())
	if err != nil {
		return err
	}
	defer func() { _ = inbox.Unsubscribe() }() // fails if the subscription has ended
	drain := func() { _ = inbox.Drain() }      // fails if the subscription has ended
	defer context.AfterFunc(ctx, drain)()
	defer context.AfterFunc(connection, drain)()
	wait := min(s.Lease, mostWait)
	subject, request := fmt.Sprintf("$JS.API.CONSUMER.MSG.NEXT.%s.%s", s.stream, s.Name), fmt.Appendf(nil, `{"batch":1,"expires":%d}`, wait)
	for ctx.Err() == nil && connection.Err() == nil {
		if err := s.nc.PublishRequest(subject, inbox.Subject, request); err != nil {
			return err
		}
		msg, err := next(inbox, wait+answerWait)
		switch {
		case errors.Is(err, nats.ErrBadSubscription):
			return nil // next has ended the subscription, or drain
		case err != nil:
			return err
		case msg.Reply == "":
			return refused(msg)
		}
		s.attempt(working, msg)
	}
	return nil
}

// next returns the next message. After the given wait it ends the subscription. From a subscription
// that has ended it still returns a message that was already in transit: if dropped, it would be
// delivered again only after its lease. If there is none, next returns nats.ErrBadSubscription.
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
