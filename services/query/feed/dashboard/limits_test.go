package dashboard_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// TestWhatPassesTheCheckFitsTheTable: the largest submission that passes is stored,
// and analyzed; what the table would not take is refused before.
func TestWhatPassesTheCheckFitsTheTable(t *testing.T) {
	_, store, board := open(t)
	largest := submission(1, time.Now(), "a")
	largest.SourceID = "reddit#" + strings.Repeat("x", 249)
	largest.SourceURL = "https://example.com/" + strings.Repeat("x", 2028)
	largest.Text = strings.Repeat("🙂", feed.MaxText)
	largest.MatchedTags, largest.Metadata = nil, map[string]any{}
	for n := range feed.MaxTags {
		largest.MatchedTags = append(largest.MatchedTags, strings.Repeat("🙂", 49)+fmt.Sprint(n))
	}
	for n := 0; len(largest.Check(time.Now())) == 0; n++ {
		largest.Metadata[fmt.Sprintf("%02d", n)+strings.Repeat("🙂", 1_998)] = strings.Repeat("🙂", 2_000)
	}
	if wrong := largest.Check(time.Now()); len(wrong) != 1 || wrong[0].Field != "metadata" {
		t.Fatalf("too large for the table is %v", wrong)
	}
	delete(largest.Metadata, slices.Max(slices.Collect(maps.Keys(largest.Metadata))))
	item := create(t, store, largest)
	done, err := store.Analyze(t.Context(), item, feed.Analysis{Sentiment: feed.Positive, Score: 1, Compound: 1, ModelVersion: "v1.0.0"})
	if err == nil {
		err = board.Apply(t.Context(), dashboard.Image{Item: done})
	}
	if err != nil {
		t.Error(err)
	}
}
