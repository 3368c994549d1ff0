package analyzer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/analyzer/sentiment"
)

// feedItems analyzes items of the feed.
type feedItems struct {
	store   *feed.Store
	bucket  *blob.Store
	bus     *bus.Bus
	texts   *sentiment.Analyzer
	results *prometheus.CounterVec
}

func newFeedItems(cfg Config, engines *engine.Engines, results *prometheus.CounterVec) *feedItems {
	return &feedItems{
		store:  feed.NewStore(engines.DB, cfg.Feed),
		bucket: engines.Bucket, bus: engines.Bus, texts: sentiment.New(), results: results,
	}
}

// consumerFeed is who gives items of the feed up.
const consumerFeed = "analyzer-feed"

func (f *feedItems) consumer(cfg Config) bus.Consumer {
	return bus.Consumer{
		Name: consumerFeed, Area: event.AreaFeed,
		Stream: bus.StreamWork, Filter: event.AcceptedSubjects,
		Parallel: cfg.Parallel, Lease: cfg.Lease, Attempts: cfg.Attempts, Drain: cfg.Drain,
		Bounds: cfg.feedBounds, Abandoned: cfg.Abandoned, AbandonedFor: cfg.AbandonedFor,
		Handle: f.handle, GiveUp: f.giveUp,
	}
}

// handle brings one accepted item to its end and announces it. There is no
// claim: the work is short, and of two workers one makes the move.
func (f *feedItems) handle(ctx context.Context, d bus.Delivery) error {
	var accepted event.FeedItemAccepted
	if err := event.Unmarshal(d.Data, &accepted); err != nil {
		return bus.Permanent(err)
	}
	item, err := f.store.Get(ctx, accepted.SourceId)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil // removed
	case err != nil:
		return err
	case item.Status == feed.Analyzed:
		return f.announce(ctx, item, f.bus.Republish)
	}
	analysis, snippet, err := f.analyze(ctx, accepted.Key)
	if err != nil {
		return err
	}
	item.TextSnippet = snippet // of a text that came in a lost one's place, another
	item, err = f.store.Analyze(ctx, item, analysis)
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil // removed meanwhile
	case moved:
		// Another made the move, or a try of ours whose answer was lost.
		if item, err = f.store.Get(ctx, accepted.SourceId); err != nil {
			return err
		}
		return f.announce(ctx, item, f.bus.Republish)
	case err != nil:
		return err
	}
	f.results.WithLabelValues(event.AreaFeed, string(item.Status)).Inc()
	return f.announce(ctx, item, f.bus.Publish)
}

// analyze scores the whole text as it was accepted, and returns its snippet too.
func (f *feedItems) analyze(ctx context.Context, key string) (feed.Analysis, string, error) {
	text, err := f.read(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return feed.Analysis{}, "", bus.Permanent(errors.New("the accepted text is no longer there"))
	}
	if err != nil {
		return feed.Analysis{}, "", err
	}
	polarity := f.texts.Score(text)
	label, confidence := sentiment.Classify(polarity)
	return feed.Analysis{
		Sentiment: string(label), Score: confidence, Compound: polarity.Compound, ModelVersion: sentiment.ModelVersion,
	}, feed.Snippet(text), nil
}

// read returns the whole of a text.
func (f *feedItems) read(ctx context.Context, key string) (string, error) {
	body, err := f.bucket.Open(ctx, key, "")
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	return string(text), nil
}

// giveUp leaves an item pending, with the reason, and announces that. A sweep
// then leaves it alone; a replay of its dead letter tries it again.
func (f *feedItems) giveUp(ctx context.Context, d bus.Delivery, reason error) error {
	if !feed.ValidSourceID(d.Item) {
		return nil // the message is none of ours, and its dead letter says so
	}
	item, err := f.store.Get(ctx, d.Item)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil
	case err != nil:
		return err
	case item.Settled():
		return f.announce(ctx, item, f.bus.Republish)
	}
	item, err = f.store.GiveUp(ctx, item, givenUp(d, reason))
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	return f.announce(ctx, item, f.bus.Publish)
}

// announce publishes the outcome of a settled item.
func (f *feedItems) announce(ctx context.Context, i feed.Item, publish func(context.Context, event.Event) error) error {
	e, err := f.outcome(i)
	if err != nil {
		return err
	}
	return publish(ctx, e)
}

// outcome is the event that tells of a settled item. Its id comes from the time
// that is stored with the result or the failure, so that a repeat is a duplicate.
func (f *feedItems) outcome(i feed.Item) (event.Event, error) {
	if i.GivenUp() {
		at, err := i.Failed()
		if err != nil {
			return event.Event{}, fmt.Errorf("the time of %s: %w", i.SourceID, err)
		}
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: event.AreaFeed, Id: i.SourceID, Name: i.SourceID, FailedAt: timestamppb.New(at), ErrorMessage: i.ErrorMessage,
		}), nil
	}
	at, err := i.Analyzed()
	if err != nil {
		return event.Event{}, fmt.Errorf("the time of %s: %w", i.SourceID, err)
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: event.AreaFeed, Id: i.SourceID, Name: i.SourceID, CompletedAt: timestamppb.New(at),
		Result: &event.AnalysisCompleted_TextSentiment{TextSentiment: &event.TextSentiment{
			Sentiment: i.Sentiment, Score: i.Score, Compound: i.Compound, ModelVersion: i.ModelVersion,
		}},
	}), nil
}
