package bus

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// The streams. Work and notices are queues: a message leaves when it is
// acknowledged. Outcomes stay for those who resume; dead letters stay until
// someone removes them; notes of attempts stay for as long as a message may be
// tried again.
const (
	StreamNotices  = "ASSAY_NOTICES"
	StreamWork     = "ASSAY_WORK"
	StreamOutcomes = "ASSAY_OUTCOMES"
	StreamDead     = "ASSAY_DEAD"
	StreamAttempts = "ASSAY_ATTEMPTS"
)

// noticeSubject is where the bucket tells of new objects.
const noticeSubject = "s3.notice"

// duplicateWindow is how long a stream remembers message ids. A worker that
// dies between publish and acknowledgement repeats its event after one lease,
// well within it.
const duplicateWindow = 10 * time.Minute

// notesMaxAge is more than all attempts at a message and the restarts between
// them take.
const notesMaxAge = 7 * 24 * time.Hour

// streams declares every stream of the system. All are on file storage, the
// only kind whose acknowledgement survives a restart of the server.
func streams(cfg Config) []jetstream.StreamConfig {
	list := []jetstream.StreamConfig{
		{
			Name: StreamNotices, Description: "objects the bucket tells of",
			Subjects:  []string{noticeSubject},
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgs: cfg.WorkMaxMessages,
		},
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
			Subjects:  []string{noteSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxMsgsPerSubject: 1, MaxAge: notesMaxAge,
		},
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
	c := jetstream.StreamConfig{
		Name: w.Stream, Description: "items that wait for a worker",
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: max(workMinBytes, cfg.WorkMaxMessages*workMessage),
		// One message of an item at a time: a worker that receives it knows that no
		// other worker has another, and may take the item over. A count of deliveries
		// could not tell that, since the server writes the count late and loses the
		// last in a crash.
		MaxMsgsPerSubject: 1, DiscardNewPerSubject: true,
		RePublish: &jetstream.RePublish{Source: storedSubject("*", "*", ">"), Destination: publicPrefix + ">"},
	}
	for _, subjects := range w.Subjects {
		c.Subjects = append(c.Subjects, storedSubject("*", "*", subjects))
	}
	if len(w.Subjects) == 1 {
		c.RePublish = &jetstream.RePublish{Source: c.Subjects[0], Destination: w.Subjects[0]}
	}
	return c
}

// deletionWait is longer than the server takes to delete a stream. One that is made
// anew before the old one is gone loses its folder with it, and answers nothing
// from then on (nats-server 2.15.2, where stream.stop forgets the name first and
// moves the folder away last).
const deletionWait = time.Second

// reconcile creates the streams or brings them to their declared settings. It
// returns ErrLossy.
func (b *Bus) reconcile(ctx context.Context) error {
	b.reconciling.Lock()
	defer b.reconciling.Unlock()
	if !b.reconciled.IsZero() {
		if err := b.awaitDeletion(ctx); err != nil {
			return err
		}
	}
	for _, want := range streams(b.cfg) {
		if err := b.declareStream(ctx, want); err != nil {
			return fmt.Errorf("stream %s: %w", want.Name, err)
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
	ctx, settle := b.permitted(ctx, stream)
	_, err := b.js.Stream(ctx, stream)
	settle(&err)
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// declareStream creates one stream, or updates one whose settings are others. Of a
// stream that is as it should be it only reads: whoever may not change streams
// can declare them.
func (b *Bus) declareStream(ctx context.Context, want jetstream.StreamConfig) (err error) {
	ctx, settle := b.permitted(ctx, want.Name)
	defer settle(&err)
	have, err := b.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return b.replicated(ctx, b.js.CreateStream, want)
	}
	if err != nil {
		return err
	}
	found := have.CachedInfo().Config
	if want, err = b.cfg.durable(want, found); err != nil {
		return err
	}
	if !declared(found, want) {
		return b.replicated(ctx, b.js.UpdateStream, want)
	}
	return err
}

// declared says whether a stream's settings are those that streams gives. The
// server fills in others by itself.
func declared(found, want jetstream.StreamConfig) bool {
	same := found
	same.Description, same.Subjects, same.Retention, same.Discard = want.Description, want.Subjects, want.Retention, want.Discard
	same.MaxMsgs, same.MaxBytes, same.MaxAge, same.Replicas, same.Duplicates = unlimited(want.MaxMsgs), unlimited(want.MaxBytes), want.MaxAge, max(want.Replicas, 1), want.Duplicates
	if found.MaxBytes == unlimited(0) {
		same.MaxBytes = found.MaxBytes // all that a small server can give, see replicated
	}
	same.MaxMsgsPerSubject, same.DiscardNewPerSubject = unlimited(want.MaxMsgsPerSubject), want.DiscardNewPerSubject
	same.RePublish = want.RePublish
	return reflect.DeepEqual(same, found)
}

// unlimited is how the server writes down that there is no limit.
func unlimited(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
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
