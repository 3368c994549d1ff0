package analyzer

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
)

// textFiles analyzes uploaded texts.
type textFiles struct {
	store   *textfile.Store
	bucket  *blob.Store
	bus     *bus.Bus
	results *prometheus.CounterVec
	counts  counts
}

func newTextFiles(cfg Config, engines *engine.Engines, results *prometheus.CounterVec) *textFiles {
	return &textFiles{
		store:  textfile.NewStore(engines.DB, cfg.TextFile),
		bucket: engines.Bucket, bus: engines.Bus, results: results,
		counts: counts{bucket: engines.Bucket, cfg: cfg},
	}
}

func (t *textFiles) consumer(cfg Config) bus.Consumer {
	return bus.Consumer{
		Name: "analyzer-textfile", Area: event.AreaTextFile,
		Stream: bus.StreamWork, Filter: event.UploadedSubjects,
		Parallel: cfg.Parallel, Lease: cfg.Lease, Attempts: cfg.Attempts, Drain: cfg.Drain,
		Bounds: cfg.textFileBounds, Memory: cfg.AnalysisMemory, Abandoned: cfg.Abandoned, AbandonedFor: cfg.AbandonedFor,
		Handle: t.handle, GiveUp: t.giveUp,
	}
}

// handle brings one uploaded file to its end and announces it.
func (t *textFiles) handle(ctx context.Context, d bus.Delivery) error {
	uploaded, err := readUploaded(&d)
	if err != nil {
		return bus.Permanent(err)
	}
	file, err := t.claim(ctx, d, uploaded)
	switch {
	case err != nil:
		return refused(err)
	case file.Status == textfile.Failed:
		// The worker that failed it died before it let go of the message, and maybe
		// before there was a dead letter.
		return bus.Permanent(errors.New(file.ErrorMessage))
	case file.Final():
		return t.bus.Republish(ctx, outcome(file))
	}

	result, err := t.counts.analyze(ctx, uploaded)
	if err != nil {
		return err
	}
	if file, err = t.store.Complete(ctx, file, result); err != nil {
		return refused(err)
	}
	return t.announce(ctx, file)
}

// claim makes the file this worker's and returns it, or returns one in a final
// state as it is. The event names the fence of a first claim, so that no read is
// needed for it; CreatedAt of the file is not known then. Whatever stands against
// that claim, the table decides.
func (t *textFiles) claim(ctx context.Context, d bus.Delivery, uploaded *event.FileUploaded) (textfile.File, error) {
	if d.Attempt == 1 && uploaded.PendingSince != nil {
		file, err := t.store.Claim(ctx, textfile.File{
			FileID: uploaded.FileId, OwnerID: uploaded.OwnerId, FileName: uploaded.FileName,
			S3Bucket: uploaded.Bucket, S3Key: uploaded.Key,
			Status: textfile.Pending, UpdatedAt: uploaded.PendingSince.AsTime().UnixMilli(),
		})
		if _, moved := errors.AsType[*lifecycle.MovedError](err); !moved && !errors.Is(err, lifecycle.ErrFenceLost) {
			return file, err
		}
	}
	file, err := t.store.Get(ctx, uploaded.FileId)
	switch {
	case err != nil || file.Final():
		return file, err
	case file.Status == textfile.Pending:
		return t.store.Claim(ctx, file)
	}
	// The stream holds one message of a file, so its last worker is gone.
	return t.store.TakeOver(ctx, file)
}

// refused decides what follows from a move that was not made.
func refused(err error) error {
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil // deleted meanwhile
	case moved, errors.Is(err, lifecycle.ErrFenceLost):
		return bus.ErrTakenOver
	}
	return err
}

// giveUp ends a file as FAILED and announces it.
func (t *textFiles) giveUp(ctx context.Context, d bus.Delivery, reason error) error {
	file, err := t.store.Get(ctx, d.Item)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if file.Final() {
		return t.bus.Republish(ctx, outcome(file))
	}
	if file, err = t.store.Fail(ctx, file, givenUp(d, reason)); err != nil {
		return err
	}
	return t.announce(ctx, file)
}

// givenUp says to a person why an item is not analyzed.
func givenUp(d bus.Delivery, reason error) string {
	late, isLate := errors.AsType[*bus.TimeError](reason)
	_, panicked := errors.AsType[*bus.PanicError](reason)
	switch {
	case bus.IsPermanent(reason):
		return reason.Error()
	case isLate:
		return fmt.Sprintf("the analysis took longer than %s in %d attempts", late.Limit, d.Attempt)
	case panicked:
		return fmt.Sprintf("the analysis broke down in %d attempts, which is a fault of Assay and not of the content", d.Attempt)
	}
	return fmt.Sprintf("the analysis did not succeed in %d attempts", d.Attempt)
}

// announce publishes the outcome of a file that has just reached it.
func (t *textFiles) announce(ctx context.Context, f textfile.File) error {
	t.results.WithLabelValues(event.AreaTextFile, string(f.Status)).Inc()
	return t.bus.Publish(ctx, outcome(f))
}

// outcome is the event of a file in a final state. Its id comes from that
// state, so that a repeat is a duplicate.
func outcome(f textfile.File) event.Event {
	if f.Status == textfile.Failed {
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: event.AreaTextFile, Id: f.FileID, OwnerId: f.OwnerID, Name: f.FileName,
			FailedAt: timestamppb.New(f.Updated()), ErrorMessage: f.ErrorMessage,
		})
	}
	statistics := &event.TextStatistics{
		TotalWords: float64(f.Result.TotalWords), UniqueWords: float64(f.Result.UniqueWords), AvgWordLength: f.Result.AvgWordLength,
	}
	for _, top := range f.Result.Top10Words {
		statistics.Top10Words = append(statistics.Top10Words, &event.WordCount{Word: top.Word, Count: float64(top.Count)})
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: event.AreaTextFile, Id: f.FileID, OwnerId: f.OwnerID, Name: f.FileName,
		CompletedAt: timestamppb.New(f.Updated()),
		Result:      &event.AnalysisCompleted_TextStatistics{TextStatistics: statistics},
	})
}
