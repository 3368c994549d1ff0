package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// StreamNotices is the stream of bucket notifications, a Queue that only ingest declares.
const StreamNotices = "ASSAY_NOTICES"

// Streams in addition to those of Config. Outcomes and events of package saved are retained for subscribers that resume, dead
// letters until they are removed, records of attempts for as long as a message may be retried, and
// write operations of operators for AuditMaxAge.
const (
	StreamOutcomes = "ASSAY_OUTCOMES"
	StreamSaved    = "ASSAY_SAVED"
	StreamDead     = "ASSAY_DEAD"
	StreamAttempts = "ASSAY_ATTEMPTS"
	StreamAudit    = "ASSAY_AUDIT"
)

// Subjects and limits of the audit log.
const (
	AuditSubjects = "assay-audit.>"
	AuditType     = "audit"              // of its messages, in metrics
	AuditMaxAge   = 400 * 24 * time.Hour // more than a year
	AuditMaxBytes = 64 << 20             // more than 50,000 writes
)

// attemptsMaxAge exceeds the time that all attempts at a message take, including the restarts
// between them.
const attemptsMaxAge = 7 * 24 * time.Hour

// configurations returns every stream of the system. All use file storage, because acknowledged
// messages in memory storage do not survive a restart of the server.
func configurations(cfg Config) []jetstream.StreamConfig {
	list := []jetstream.StreamConfig{
		{
			Name: StreamOutcomes, Description: "completed and failed analyses",
			Subjects:  []string{event.OutcomeSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxAge: cfg.OutcomesMaxAge,
		},
		{
			Name: StreamSaved, Description: "changes of tags, matches of saved searches, notices of rules",
			Subjects:  []string{event.SavedSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxAge: cfg.OutcomesMaxAge,
		},
		{
			Name: StreamDead, Description: "messages that no consumer could process",
			Subjects:  []string{event.DeadSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		},
		{
			Name: StreamAttempts, Description: "attempts that failed, took long or were repeated",
			Subjects:  []string{attemptPrefix + ">"},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxMsgsPerSubject: 1, MaxAge: attemptsMaxAge,
		},
		{
			Name: StreamAudit, Description: "write operations of operators",
			Subjects:  []string{AuditSubjects},
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxAge: AuditMaxAge, MaxBytes: AuditMaxBytes, DenyDelete: true, DenyPurge: true,
		},
	}
	for _, q := range cfg.Queues {
		list = append(list, jetstream.StreamConfig{
			Name: q.Stream, Subjects: []string{q.Subject}, Description: q.Description,
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgs: cfg.WorkMaxMessages,
		})
	}
	for _, l := range cfg.Logs {
		list = append(list, jetstream.StreamConfig{
			Name: l.Stream, Subjects: []string{l.Subjects}, Description: l.Description,
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxAge: cfg.OutcomesMaxAge,
		})
	}
	for _, w := range cfg.Work {
		list = append(list, jetstream.StreamConfig{
			Name: w.Stream, Subjects: []string{w.Stored()}, Description: "items that wait for a worker",
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: max(workMinBytes, cfg.WorkMaxMessages*workMessage),
			// One message of an item at a time: a worker that receives it may take over the item,
			// because no other worker has a message of the item. A count of deliveries is not
			// sufficient, because the server writes it late and may lose the last one in a crash.
			MaxMsgsPerSubject: 1, DiscardNewPerSubject: true,
			RePublish: &jetstream.RePublish{Source: w.Stored(), Destination: w.Subjects},
		})
	}
	for i := range list {
		list[i].Storage = jetstream.FileStorage
		list[i].Replicas = cfg.Replicas
		list[i].Duplicates = duplicateWindow
		list[i].Metadata = WithSettings(nil)
	}
	return list
}

// A work stream is limited in bytes, well above what admission accepts, so that the
// server does not reject work that follows from accepted work: workMessage is a
// multiple of the size of a work event.
const (
	workMessage  = 4 << 10
	workMinBytes = 1 << 30
)

// declare creates the streams or updates them to their declared settings. It returns
// ErrNotDurable if a stream could lose acknowledged messages.
func (b *Bus) declare(ctx context.Context) error {
	b.declaring.Lock()
	defer b.declaring.Unlock()
	all := configurations(b.cfg)
	if !b.declared.IsZero() {
		if err := b.awaitDeletion(ctx, all); err != nil {
			return err
		}
	}
	for _, want := range all {
		if err := b.cfg.declare(ctx, b.JS, want); err != nil {
			return err
		}
	}
	b.declared = time.Now()
	return nil
}

// deletionWait is longer than the server takes to delete a stream. A stream that is recreated
// before the old one is deleted loses its directory and no longer responds (nats-server 2.15.2,
// where stream.stop forgets the name first and moves the folder away last).
const deletionWait = time.Second

// awaitDeletion waits for deletionWait if a stream was deleted.
func (b *Bus) awaitDeletion(ctx context.Context, all []jetstream.StreamConfig) error {
	for _, want := range all {
		if _, err := b.JS.Stream(ctx, want.Name); !errors.Is(err, jetstream.ErrStreamNotFound) {
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

// redeclareAfter is the minimum time between two checks for a deleted stream.
const redeclareAfter = time.Second

// redeclare declares the streams after a publish got no response: a stream was deleted, or its
// servers are electing a leader.
func (b *Bus) redeclare(ctx context.Context) {
	b.declaring.Lock()
	recent := time.Since(b.declared) < redeclareAfter
	b.declaring.Unlock()
	if recent {
		return
	}
	if err := b.declare(ctx); err != nil {
		b.log.Warn().Err(err).Msg("no stream responds to a publish, and the streams cannot be declared; retrying")
	}
}
