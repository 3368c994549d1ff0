package feed

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
)

// streamRoute registers the live outcomes of the feed.
func (a *Area) streamRoute(r *web.Router) {
	a.hub.Handle(r, huma.Operation{
		OperationID: "live-feed-events", Path: "/v1/feed/events", Tags: []string{"feed"}, Summary: "Live outcomes of the feed",
		Parameters: []*huma.Param{{
			Name: "sentiment", In: "query", Description: "only items of this sentiment; excludes failed ones",
			Schema: &huma.Schema{Type: "string", Enum: []any{feed.Positive, feed.Neutral, feed.Negative}},
		}},
	}, filter)
}

// filter chooses the outcomes of the feed, of the request's sentiment where it has
// one.
func filter(r *http.Request) (live.Filter, error) {
	sentiment := r.URL.Query().Get("sentiment")
	switch sentiment {
	case "", feed.Positive, feed.Neutral, feed.Negative:
		return live.Filter{Area: feed.Name, Facet: sentiment}, nil
	}
	return live.Filter{}, web.Invalid(web.FieldError{Field: "query.sentiment", Message: "expected positive, neutral or negative"})
}

// sentimentOf returns the sentiment in the data of an outcome, empty where it failed.
func sentimentOf(data []byte) string {
	var completed event.AnalysisCompleted
	if event.Unmarshal(data, &completed) != nil {
		return ""
	}
	return completed.GetTextSentiment().GetSentiment()
}
