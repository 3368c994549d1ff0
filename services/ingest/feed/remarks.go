package feed

import (
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/feed"
)

// Remarks describe which parts of an accepted item were not applied.
type Remarks struct {
	OlderThanWindow bool     `json:"olderThanWindow,omitempty" doc:"the item is older than the 7 days of lists and totals, which do not include it"`
	IgnoredTags     []string `json:"ignoredTags,omitempty" doc:"tags of the request that were not added, because an item has at most 5"`
}

// remarks compares a stored item with a submission that was accepted as that item or merged into
// it.
func remarks(item feed.Item, s feed.Submission, now time.Time) Remarks {
	var r Remarks
	if at, err := item.Ingested(); err == nil {
		r.OlderThanWindow = now.Sub(at) > feed.Retention
	}
	for _, tag := range s.MatchedTags {
		if !slices.Contains(item.MatchedTags, feed.Tag(tag)) {
			r.IgnoredTags = append(r.IgnoredTags, tag)
		}
	}
	return r
}

// postedItem is the response to a request with one item.
type postedItem struct {
	feed.ItemView
	Remarks
}
