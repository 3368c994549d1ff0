package feed

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/sentiment"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
)

// TestModelVersion checks that a change of the lexicon or the rules changes the model version of results.
func TestModelVersion(t *testing.T) {
	if feed.ModelVersion != sentiment.Version {
		t.Errorf("got model version %s, want %s, that of package sentiment", feed.ModelVersion, sentiment.Version)
	}
}

// TestLanguages checks that a text that is reliably not English is neutral, with a
// confidence of 0.
func TestLanguages(t *testing.T) {
	area := &Area{texts: sentiment.New()}
	for text, want := range map[string]feed.Analysis{
		"The book that I was told about was good.": {Sentiment: feed.Positive, Score: 0.7202, Compound: 0.4404, Language: "en"},
		"":     {Sentiment: feed.Neutral, Score: 1, Language: "und"},
		"Yay!": {Sentiment: feed.Positive, Score: 0.78535, Compound: 0.5707, Language: "und"},
		"Das war eine super Woche, und wir wollen trotzdem nicht mehr nach Hause.": {Sentiment: feed.Neutral, Score: 0, Language: "de"},
		"这是一本好书。": {Sentiment: feed.Neutral, Score: 0, Language: "zh"},
	} {
		want.ModelVersion = feed.ModelVersion
		if got := area.analyze(text); got.Sentiment != want.Sentiment || got.Language != want.Language || math.Abs(got.Score-want.Score) > 1e-4 || got.Compound != want.Compound {
			t.Errorf("analyze(%q) = %+v, want %+v", text, got, want)
		}
	}
}

// TestOlderModelDelaysItem checks that an item that waits for another analysis is delayed, without
// using an attempt, if the analyzer's model is not newer than the model of the item's result.
func TestOlderModelDelaysItem(t *testing.T) {
	_, store := feedtest.Open(t)
	for n, c := range []struct {
		version string
		delayed bool
	}{{"v0.9.0", false}, {"v1.0.0", false}, {feed.ModelVersion, true}, {"v100.0.0", true}} {
		item := feedtest.Create(t, store, feedtest.Submission(n, time.Now(), "a"))
		document, err := protojson.Marshal(&event.FeedItemAccepted{SourceId: item.SourceID})
		if err != nil {
			t.Fatal(err)
		}
		claim := func() (feed.Item, error) {
			return steps{&Area{store: store}}.Claim(t.Context(), &bus.Delivery{Data: document})
		}
		if got, err := claim(); err != nil || got.SourceID != item.SourceID {
			t.Errorf("before the first analysis: got %+v, %v, want item %s", got, err, item.SourceID)
		}
		analysis := feedtest.Liked()
		analysis.ModelVersion = c.version
		if item, err = store.Analyze(t.Context(), item, analysis); err != nil {
			t.Fatal(err)
		}
		if got, err := claim(); err != nil || got.Status != feed.Analyzed {
			t.Errorf("%s, analyzed: got %+v, %v, want status %s", c.version, got, err, feed.Analyzed)
		}
		if _, err = store.Reanalyze(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		_, err = claim()
		if delay, later := bus.Delay(err); later != c.delayed || later && delay != newerModelWait || !later && err != nil {
			t.Errorf("%s, waiting: got error %v after delay %s, want delayed %t", c.version, err, delay, c.delayed)
		}
	}
}
