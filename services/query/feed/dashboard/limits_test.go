package dashboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// TestLimitsFitTheTable checks that a submission at the limits is stored, analyzed and projected.
func TestLimitsFitTheTable(t *testing.T) {
	_, store, board := open(t)
	largest := feedtest.Submission(1, time.Now(), "a")
	largest.SourceID = "reddit#" + strings.Repeat("x", 249)
	largest.SourceURL = "https://example.com/" + strings.Repeat("x", 2028)
	largest.Text = strings.Repeat("🙂", feed.MaxText)
	largest.MatchedTags, largest.Metadata = nil, map[string]any{}
	for n := range feed.MaxTags {
		largest.MatchedTags = append(largest.MatchedTags, strings.Repeat("🙂", 49)+fmt.Sprint(n))
	}
	name, text := strings.Repeat("🙂", feed.MaxMetaText-2), strings.Repeat("🙂", feed.MaxMetaText)
	for n := range feed.MaxMetaBytes / (2 + len(name) + len(text)) {
		largest.Metadata[fmt.Sprintf("%02d", n)+name] = text
	}
	item := feedtest.Create(t, store, largest)
	done, err := store.Analyze(t.Context(), item, feed.Analysis{Sentiment: feed.Positive, Score: 1, Compound: 1, ModelVersion: "v1.0.0"})
	if err == nil {
		err = board.Apply(t.Context(), dashboard.Image{Item: done})
	}
	if err != nil {
		t.Error(err)
	}
}
