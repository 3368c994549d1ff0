package feed

import (
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
)

// streamRoute registers the stream of live outcomes of the feed.
func (a *Area) streamRoute(r *web.Router) {
	choice := func(name, description string, values ...any) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: description, Schema: &huma.Schema{Type: "string", Enum: values}}
	}
	a.hub.Handle(r, huma.Operation{
		OperationID: "live-feed-events", Path: "/v1/feed/events", Tags: []string{"feed"}, Summary: "Stream live outcomes of the feed, and its alerts",
		Parameters: []*huma.Param{
			choice("sentiment", "only items with this sentiment; excludes failed items", feed.Positive, feed.Neutral, feed.Negative),
			choice("sourceType", "only items of this source type; excludes failed items", "newsapi", "twitter", "reddit", "rss"),
			choice("tag", "only items that matched this tag when they were analyzed; excludes failed items"),
		},
	}, filter)
}

// filter selects the outcomes of the feed that match all parameters of the request.
func filter(r *http.Request) (live.Filter, error) {
	query := r.URL.Query()
	sentiment, source, tag := query.Get("sentiment"), query.Get("sourceType"), feed.FoldTag(feed.Tag(query.Get("tag")))
	if sentiment != "" && !slices.Contains([]string{feed.Positive, feed.Neutral, feed.Negative}, sentiment) {
		return live.Filter{}, web.Invalid(web.FieldError{Field: "query.sentiment", Message: "must be positive, neutral or negative"})
	}
	if source != "" && !slices.Contains([]string{"newsapi", "twitter", "reddit", "rss"}, source) {
		return live.Filter{}, web.Invalid(web.FieldError{Field: "query.sourceType", Message: "must be newsapi, twitter, reddit or rss"})
	}
	if sentiment == "" && source == "" && tag == "" {
		return live.Filter{Area: feed.Name}, nil
	}
	return live.Filter{Area: feed.Name, Match: func(facet any) bool {
		if _, alert := facet.(*event.FeedAlert); alert {
			return true
		}
		result, ok := facet.(*event.TextSentiment)
		return ok && (sentiment == "" || result.GetSentiment() == sentiment) && (source == "" || result.GetSourceType() == source) &&
			(tag == "" || slices.ContainsFunc(result.GetMatchedTags(), func(t string) bool { return feed.FoldTag(t) == tag }))
	}}, nil
}

// alertEvent is the name of the event of an alert in live streams.
const alertEvent = "alert"

// follow adds the alerts of the feed to the live events.
func follow(hub *live.Hub) {
	hub.Follow(live.Source{
		Area: feed.Name, Subjects: feed.AlertSubjects, Event: alertChange,
		Description: "`alert` reports that an alert of the feed has fired or resolved. It has no id, is not replayed, and is in the streams of the feed and of " +
			"all owners only.",
	})
}

func alertChange(d bus.Delivery) (live.Event, bool) {
	a := &event.FeedAlert{}
	if event.Unmarshal(d.Data, a) != nil {
		return live.Event{}, false
	}
	return live.Event{Event: web.Event{Name: alertEvent, Data: d.Data}, Item: a.Name, Facet: a}, true
}

// resultOf returns the *event.TextSentiment in the data of an outcome, or nil if the analysis
// failed.
func resultOf(data []byte) any {
	var completed event.AnalysisCompleted
	if event.Unmarshal(data, &completed) != nil || completed.GetTextSentiment() == nil {
		return nil
	}
	return completed.GetTextSentiment()
}
