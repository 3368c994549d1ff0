package ingest

import (
	"context"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/ingest/source"
)

// feedSources bring items into the feed on a timer.
type feedSources struct {
	store  *source.Store
	poller *source.Poller
	items  *feedItems
}

func newFeedSources(cfg Config, engines *engine.Engines, items *feedItems, log zerolog.Logger, reg prometheus.Registerer) *feedSources {
	f := &feedSources{store: source.NewStore(platform.NewStore(engines.DB, cfg.Platform)), items: items}
	f.poller = source.New(cfg.Sources, source.Options{
		Store: f.store, Take: f.take, Key: os.Getenv, Log: log, Registry: reg,
	})
	return f
}

// take is what becomes of a poll's items: the same as of a batch that is posted,
// but that rss is a source type too. The seed has no word for such items.
func (f *feedSources) take(ctx context.Context, items []feed.Submission) (source.Taken, error) {
	if err := f.items.bus.Admit(ctx, event.AcceptedOf(""), ""); err != nil {
		return source.Taken{}, err
	}
	results, err := f.items.acceptAll(ctx, func(yield func(candidate, error) bool) {
		for _, item := range items {
			if !yield(candidate{Submission: item, size: len(item.Text), wrong: fieldErrors(item.Check(time.Now(), source.KindRSS))}, nil) {
				return
			}
		}
	})
	if err != nil {
		return source.Taken{}, err
	}
	var taken source.Taken
	for _, result := range results {
		switch result.Outcome {
		case outcomeCreated:
			taken.Created++
		case outcomeDuplicate:
			taken.Duplicate++
		case outcomeInvalid:
			taken.Invalid++
			f.items.log.Warn().Str("id", result.SourceID).Str("error", result.Errors[0].Message).Msg("a source has an item that is invalid")
		}
	}
	// What was refused comes again with the next poll.
	refused, _ := refusal(results)
	return taken, refused
}
