package feed

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/ingest/feed/check"
	"github.com/assay-project/assay/services/ingest/feed/source"
)

// take accepts the items of a poll like a posted batch. It also allows the source type rss, which
// the seed does not define.
func (a *Area) take(ctx context.Context, name string, items []feed.Submission) (source.Taken, error) {
	if err := a.bus.Admit(ctx, feed.WorkStream, ""); err != nil {
		return source.Taken{}, err
	}
	results, err := a.acceptAll(ctx, feed.SourceSender(name), func(yield func(candidate, error) bool) {
		for _, item := range items {
			if !yield(candidate{Submission: item, size: len(item.Text), wrong: check.Submission(item, time.Now(), source.KindRSS)}, nil) {
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
			a.log.Warn().Str("id", result.SourceID).Str("error", result.Errors[0].Message).Msg("a source returned an invalid item")
		}
	}
	// The next poll reads rejected items again.
	refused, _ := refusal(results)
	return taken, refused
}
