package feed

import (
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
)

// TestOlderModelLeavesTheItem: an item that waits for another analysis is delayed, without an attempt,
// where the model of the analyzer is not newer than that of the item's result.
func TestOlderModelLeavesTheItem(t *testing.T) {
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
			t.Errorf("before the first analysis: %+v, %v", got, err)
		}
		analysis := feedtest.Liked()
		analysis.ModelVersion = c.version
		if item, err = store.Analyze(t.Context(), item, analysis); err != nil {
			t.Fatal(err)
		}
		if got, err := claim(); err != nil || got.Status != feed.Analyzed {
			t.Errorf("%s, analyzed: %+v, %v", c.version, got, err)
		}
		if _, err = store.Reanalyze(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		_, err = claim()
		if delay, later := bus.Delay(err); later != c.delayed || later && delay != newerModelWait || !later && err != nil {
			t.Errorf("%s waits: %v, delayed %t", c.version, err, later)
		}
	}
}
