// Package linecount counts the lines of uploaded texts.
package linecount

import (
	"bufio"
	"context"
	"errors"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// tooLong is the reason for which a text with too many lines fails.
const tooLong reason.Reason = "the text has more than %d lines"

// Area counts lines.
type Area struct {
	cfg     Config
	store   *linecount.Store
	bucket  *blob.Store
	bus     *bus.Bus
	uploads *upload.Announcer
	worker  *work.Worker
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, worker *work.Worker, log zerolog.Logger) *Area {
	return &Area{
		cfg: cfg, store: linecount.NewStore(backends.DB, cfg.Table), bucket: backends.Bucket, bus: backends.Bus, worker: worker,
		uploads: upload.NewAnnouncer(backends.Bus, log),
	}
}

// Name returns the area's name.
func (a *Area) Name() string { return linecount.Name }

// Findings returns no codes: sweeps find what they find in every area.
func (a *Area) Findings() []string { return nil }

// Check returns an error if the table cannot be used.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Consumers returns the only consumer of the area.
func (a *Area) Consumers() []bus.Consumer {
	return []bus.Consumer{work.Consumer(a.worker, bus.Consumer{
		Name: linecount.Consumer, Area: linecount.Name, Stream: linecount.WorkStream,
		Bounds: func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: a.worker.Config.Time} },
	}, steps{a})}
}

// Sweep repairs items that have no outstanding message, and deletes orphaned objects.
func (a *Area) Sweep(ctx context.Context, r *sweeper.Run) error {
	return sweeper.Sweep(ctx, r, sweep{steps{a}}, sweep{steps{a}})
}

// steps implements the steps from LineCountUploaded to the outcome.
type steps struct{ *Area }

func (s steps) Get(ctx context.Context, id string) (linecount.Item, error) {
	return s.store.Get(ctx, id)
}

func (s steps) Claim(ctx context.Context, d *bus.Delivery) (linecount.Item, error) {
	item, err := s.store.Get(ctx, d.Item)
	if ended, _ := item.Ended(); err != nil || ended {
		return item, err
	}
	return s.store.Claim(ctx, item)
}

func (s steps) Process(ctx context.Context, d *bus.Delivery, _ linecount.Item) (int64, error) {
	uploaded := &event.LineCountUploaded{}
	if err := d.Unmarshal(d.Data, uploaded); err != nil {
		return 0, bus.Permanent(err)
	}
	lines, err := s.count(ctx, uploaded)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		err = reason.UploadGone
	}
	if reason.Permanent(err) {
		err = bus.Permanent(err)
	}
	return lines, err
}

// count counts the lines of the stored text. A last line without a line end counts.
func (s steps) count(ctx context.Context, uploaded *event.LineCountUploaded) (lines int64, err error) {
	body, err := s.bucket.Open(ctx, uploaded.Key, uploaded.Etag)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	text := bufio.NewScanner(body)
	for text.Scan() {
		if lines++; lines > s.cfg.MaxLines {
			return 0, tooLong.Fill(s.cfg.MaxLines)
		}
	}
	return lines, text.Err()
}

func (s steps) Finish(ctx context.Context, i linecount.Item, lines int64) (linecount.Item, error) {
	return s.store.Complete(ctx, i, lines)
}

func (s steps) Fail(ctx context.Context, i linecount.Item, f work.Failure) (linecount.Item, error) {
	return s.store.Fail(ctx, i, f.Reason)
}

func (steps) Ended(i linecount.Item) (bool, string) { return i.Ended() }

func (steps) Creation(i linecount.Item) string { return i.ID }

func (steps) Outcome(i linecount.Item) (event.Event, error) {
	at := timestamppb.New(i.Updated())
	if i.Status == linecount.Failed {
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: linecount.Name, Id: i.ID, OwnerId: i.OwnerID, Name: i.FileName, FailedAt: at, ErrorMessage: i.ErrorMessage,
		}), nil
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: linecount.Name, Id: i.ID, OwnerId: i.OwnerID, Name: i.FileName, CompletedAt: at,
	}), nil
}
