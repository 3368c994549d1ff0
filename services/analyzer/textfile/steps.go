package textfile

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer/work"
)

// steps implements the steps from FileUploaded to the outcome.
type steps struct{ *Area }

func (s steps) Get(ctx context.Context, fileID string) (textfile.File, error) {
	return s.store.Get(ctx, fileID)
}

// Claim takes the fence of a first claim from the event, so that no read is needed. The CreatedAt
// of the file is then unknown. If that claim fails, the state in the table decides.
func (s steps) Claim(ctx context.Context, d *bus.Delivery) (textfile.File, error) {
	uploaded, err := readUploaded(d)
	if err != nil {
		return textfile.File{}, bus.Permanent(err)
	}
	if d.Attempt == 1 && uploaded.PendingSince != nil {
		file, err := s.store.Claim(ctx, textfile.File{
			FileID: uploaded.FileId, OwnerID: uploaded.OwnerId, FileName: uploaded.FileName,
			S3Bucket: uploaded.Bucket, S3Key: uploaded.Key,
			Status: textfile.Pending, UpdatedAt: uploaded.PendingSince.AsTime().UnixMilli(),
		})
		if _, moved := errors.AsType[*lifecycle.MovedError](err); !moved && !errors.Is(err, lifecycle.ErrFenceLost) {
			return file, err
		}
	}
	file, err := s.store.Get(ctx, uploaded.FileId)
	switch {
	case err != nil || file.Final():
		return file, err
	case file.Status == textfile.Pending:
		return s.store.Claim(ctx, file)
	}
	// The stream has one message per file, so the previous worker no longer processes it.
	return s.store.TakeOver(ctx, file)
}

func (s steps) Process(ctx context.Context, d *bus.Delivery, _ textfile.File) (textfile.Result, error) {
	uploaded, err := readUploaded(d)
	if err != nil {
		return textfile.Result{}, bus.Permanent(err)
	}
	return counts{bucket: s.bucket, cfg: s.cfg}.analyze(ctx, uploaded)
}

func (s steps) Finish(ctx context.Context, f textfile.File, r textfile.Result) (textfile.File, error) {
	return s.store.Complete(ctx, f, r)
}

func (s steps) Fail(ctx context.Context, f textfile.File, failure work.Failure) (textfile.File, error) {
	return s.store.Fail(ctx, f, failure.Reason)
}

func (steps) Ended(f textfile.File) (bool, string) { return f.Final(), f.ErrorMessage }

// Creation returns the id, which belongs to one file only.
func (steps) Creation(f textfile.File) string { return f.FileID }

func (steps) Outcome(f textfile.File) (event.Event, error) { return outcome(f), nil }

func outcome(f textfile.File) event.Event {
	if f.Status == textfile.Failed {
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: textfile.Name, Id: f.FileID, OwnerId: f.OwnerID, Name: f.FileName,
			FailedAt: timestamppb.New(f.Updated()), ErrorMessage: f.ErrorMessage,
		})
	}
	statistics := &event.TextStatistics{
		TotalWords: float64(f.Result.TotalWords), UniqueWords: float64(f.Result.UniqueWords), AvgWordLength: f.Result.AvgWordLength,
		Charset: f.Result.Charset, CharsetSource: f.Result.CharsetSource, IgnoredCharset: f.Result.IgnoredCharset, Replaced: float64(f.Result.Replaced),
	}
	for _, top := range f.Result.Top10Words {
		statistics.Top10Words = append(statistics.Top10Words, &event.WordCount{Word: top.Word, Count: float64(top.Count)})
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: textfile.Name, Id: f.FileID, OwnerId: f.OwnerID, Name: f.FileName,
		CompletedAt: timestamppb.New(f.Updated()),
		Result:      &event.AnalysisCompleted_TextStatistics{TextStatistics: statistics},
	})
}
