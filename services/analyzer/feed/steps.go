package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/language"
	"github.com/assay-project/assay/pkg/extract/sentiment"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/work"
)

// steps implements the steps from FeedItemAccepted to the outcome. There is no claim: the work is
// short, and only one of two concurrent workers can make the move.
type steps struct{ *Area }

// newerModelWait is the redelivery delay of an item that needs a newer model than this analyzer has,
// for example during a rollout.
const newerModelWait = 10 * time.Second

// analysis is the result of Process, with the submission that was scored. A submission that
// replaces a lost one can have a different text, URL and metadata.
type analysis struct {
	feed.Analysis
	submission feed.Submission
}

func (s steps) Get(ctx context.Context, sourceID string) (feed.Item, error) {
	if !feed.ValidSourceID(sourceID) {
		return feed.Item{}, lifecycle.ErrNotFound // no item can have this id
	}
	return s.store.Get(ctx, sourceID)
}

func (s steps) Claim(ctx context.Context, d *bus.Delivery) (feed.Item, error) {
	var accepted event.FeedItemAccepted
	if err := d.Unmarshal(d.Data, &accepted); err != nil {
		return feed.Item{}, bus.Permanent(err)
	}
	i, err := s.store.Get(ctx, accepted.SourceId)
	if err == nil && !i.Settled() && i.Scored() && feed.CompareModels(feed.ModelVersion, i.ModelVersion) <= 0 {
		return feed.Item{}, bus.Later(fmt.Errorf("%s needs a newer model than this analyzer's model %s", i.SourceID, feed.ModelVersion), newerModelWait)
	}
	return i, err
}

// Process scores the entire accepted text.
func (s steps) Process(ctx context.Context, _ *bus.Delivery, i feed.Item) (analysis, error) {
	document, err := s.bucket.Load(ctx, feed.TextKey(i.SourceID))
	if errors.Is(err, blob.ErrNotFound) {
		now, err := s.store.Get(ctx, i.SourceID)
		switch {
		case err != nil:
			return analysis{}, err
		case now.Writer != i.Writer:
			return analysis{}, lifecycle.ErrNotFound // deleted and posted again
		}
		return analysis{}, bus.Permanent(reason.TextGone)
	}
	if err != nil {
		return analysis{}, err
	}
	submission, err := feed.ParseDocument(i.SourceID, document.Body)
	if err != nil {
		return analysis{}, bus.Permanent(err)
	}
	result := s.analyze(submission.Text)
	result.SimilarTo = s.similar(ctx, i, submission.Text)
	return analysis{result, submission}, nil
}

// similar returns the id of an earlier item with nearly the same text, or "" if there is none or it cannot be found out: an
// analysis does not fail because of it.
func (s steps) similar(ctx context.Context, i feed.Item, text string) string {
	id, err := s.index.Add(ctx, i, text)
	if err == nil && id != "" {
		_, err = s.store.Get(ctx, id)
	}
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return "" // deleted
	case err != nil:
		s.log.Warn().Err(err).Str("id", i.SourceID).Msg("similar items were not found")
		return ""
	}
	return id
}

// analyze scores a text. A text whose language is reliably not English is neutral, with a confidence of 0.
func (a *Area) analyze(text string) feed.Analysis {
	result := feed.Analysis{Sentiment: feed.Neutral, ModelVersion: feed.ModelVersion, Language: language.Detect(text)}
	if result.Language == language.English || result.Language == language.Undetermined {
		polarity := a.texts.Score(text)
		label, confidence := sentiment.Classify(polarity)
		result.Sentiment, result.Score, result.Compound = string(label), confidence, polarity.Compound
	}
	return result
}

func (s steps) Finish(ctx context.Context, i feed.Item, a analysis) (feed.Item, error) {
	return s.store.Analyze(ctx, i.Of(a.submission), a.Analysis)
}

// Fail leaves the item pending and records the reason. Sweeps then ignore it. A replay of its dead
// letter retries it.
func (s steps) Fail(ctx context.Context, i feed.Item, failure work.Failure) (feed.Item, error) {
	return s.store.GiveUp(ctx, i, failure.Reason)
}

func (steps) Ended(i feed.Item) (bool, string) { return i.Settled(), i.ErrorMessage }

// Creation returns the writer of an item.
func (steps) Creation(i feed.Item) string { return i.Writer }

// Outcome derives the event id from the time that is stored with the result or the failure.
func (steps) Outcome(i feed.Item) (event.Event, error) {
	if i.GivenUp() {
		at, err := i.Failed()
		if err != nil {
			return event.Event{}, fmt.Errorf("reading the failure time of %s: %w", i.SourceID, err)
		}
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: feed.Name, Id: i.SourceID, Name: i.SourceID, FailedAt: timestamppb.New(at), ErrorMessage: i.ErrorMessage,
		}), nil
	}
	at, err := i.Analyzed()
	if err != nil {
		return event.Event{}, fmt.Errorf("reading the analysis time of %s: %w", i.SourceID, err)
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: feed.Name, Id: i.SourceID, Name: i.SourceID, CompletedAt: timestamppb.New(at),
		Result: &event.AnalysisCompleted_TextSentiment{TextSentiment: &event.TextSentiment{
			Sentiment: i.Sentiment, Score: i.Score, Compound: i.Compound, ModelVersion: i.ModelVersion,
			SourceType: i.SourceType, MatchedTags: i.MatchedTags, Language: i.Language(), Unsupported: i.Unsupported(),
			TextSnippet: i.TextSnippet, SourceUrl: i.SourceURL, PublishedAt: i.PublishedAt(), Archive: i.Archive(), SimilarTo: i.SimilarTo,
		}},
	}), nil
}
