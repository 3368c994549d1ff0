package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// The streams besides those of Config. Outcomes stay for those who resume, dead letters
// until someone removes them, records of attempts for as long as a message may be tried
// again.
const (
	StreamOutcomes = "ASSAY_OUTCOMES"
	StreamDead     = "ASSAY_DEAD"
	StreamAttempts = "ASSAY_ATTEMPTS"
)

// Queue describes a stream that a message leaves when it is acknowledged.
type Queue struct {
	Stream      string
	Subject     string
	Description string
}

// duplicateWindow is how long a stream remembers message ids. A worker that
// dies between publish and acknowledgement repeats its event after one lease,
// well within it.
const duplicateWindow = 10 * time.Minute

// attemptsMaxAge is more than all attempts at a message and the restarts between
// them take.
const attemptsMaxAge = 7 * 24 * time.Hour

// streams declares every stream of the system. All are on file storage, the
// only kind whose acknowledgement survives a restart of the server.
func streams(cfg Config) []jetstream.StreamConfig {
	list := []jetstream.StreamConfig{
		{
			Name: StreamOutcomes, Description: "analyses that ended",
			Subjects:  []string{event.OutcomeSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxAge: cfg.OutcomesMaxAge,
		},
		{
			Name: StreamDead, Description: "messages no consumer could process",
			Subjects:  []string{event.DeadSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		},
		{
			Name: StreamAttempts, Description: "attempts at messages that were not delivered for the first time",
			Subjects:  []string{attemptSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxMsgsPerSubject: 1, MaxAge: attemptsMaxAge,
		},
	}
	for _, q := range cfg.Queues {
		list = append(list, jetstream.StreamConfig{
			Name: q.Stream, Subjects: []string{q.Subject}, Description: q.Description,
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgs: cfg.WorkMaxMessages,
		})
	}
	for _, w := range cfg.Work {
		list = append(list, workStream(cfg, w))
	}
	for i := range list {
		list[i].Storage = jetstream.FileStorage
		list[i].Replicas = cfg.Replicas
		list[i].Duplicates = duplicateWindow
	}
	return list
}

// A work stream is limited in bytes, well above what admission accepts, so that the
// server does not refuse what follows from accepted work: workMessage is a multiple of
// what a work event takes.
const (
	workMessage  = 4 << 10
	workMinBytes = 1 << 30
)

func workStream(cfg Config, w Work) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: w.Stream, Subjects: []string{w.Stored()}, Description: "items that wait for a worker",
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: max(workMinBytes, cfg.WorkMaxMessages*workMessage),
		// One message of an item at a time: a worker that receives it knows that no
		// other worker has another, and may take the item over. A count of deliveries
		// could not tell that, since the server writes the count late and loses the
		// last in a crash.
		MaxMsgsPerSubject: 1, DiscardNewPerSubject: true,
		RePublish: &jetstream.RePublish{Source: w.Stored(), Destination: w.Subjects},
	}
}

// deletionWait is longer than the server takes to delete a stream. One that is made
// anew before the old one is gone loses its folder with it, and answers nothing
// from then on (nats-server 2.15.2, where stream.stop forgets the name first and
// moves the folder away last).
const deletionWait = time.Second

// reconcile creates the streams or brings them to their declared settings. It
// returns durable.ErrNotDurable.
func (b *Bus) reconcile(ctx context.Context) error {
	b.reconciling.Lock()
	defer b.reconciling.Unlock()
	if !b.reconciled.IsZero() {
		if err := b.awaitDeletion(ctx); err != nil {
			return err
		}
	}
	for _, want := range streams(b.cfg) {
		if err := b.cfg.policy().Declare(ctx, b.JS, want); err != nil {
			return err
		}
	}
	b.reconciled = time.Now()
	return nil
}

// awaitDeletion waits where a stream is gone that was there.
func (b *Bus) awaitDeletion(ctx context.Context) error {
	for _, want := range streams(b.cfg) {
		if !b.gone(ctx, want.Name) {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(deletionWait):
			return nil
		}
	}
	return nil
}

func (b *Bus) gone(ctx context.Context, stream string) bool {
	_, err := b.JS.Stream(ctx, stream)
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// redeclareAfter is the least time between two looks whether a stream is gone.
const redeclareAfter = time.Second

// redeclare reconciles for a publish to which no stream answered: one was deleted,
// or its servers are electing.
func (b *Bus) redeclare(ctx context.Context) {
	b.reconciling.Lock()
	recent := time.Since(b.reconciled) < redeclareAfter
	b.reconciling.Unlock()
	if !b.declares || recent {
		return
	}
	if err := b.reconcile(ctx); err != nil {
		b.log.Warn().Err(err).Msg("no stream answers a publish, and the streams cannot be declared anew; trying again")
	}
}
