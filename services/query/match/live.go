package match

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
)

// area is the area of the events in live streams, in logs and in metrics.
const area = "saved"

// Follow adds the changes of tags, matches and notices to the live events.
func Follow(hub *live.Hub) {
	hub.Follow(live.Source{
		Area: area, Stream: bus.StreamSaved, Event: show,
		Description: "`tags` reports tags that the owner added to an item or removed from it, `match` that an item has begun to match saved searches, " +
			"and `notice` the text that a rule sends about an item.",
	})
}

// tagsView, matchView and noticeView are the forms of the events in live streams: they omit the ids of owners.
type (
	tagsView struct {
		Area    string    `json:"area"`
		ID      string    `json:"id"`
		Added   []string  `json:"added"`
		Removed []string  `json:"removed"`
		At      time.Time `json:"at"`
	}
	matchView struct {
		Area     string    `json:"area"`
		ID       string    `json:"id"`
		Name     string    `json:"name"`
		Searches []string  `json:"searches"`
		At       time.Time `json:"at"`
	}
	noticeView struct {
		Area    string    `json:"area"`
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Rule    string    `json:"rule"`
		Message string    `json:"message"`
		At      time.Time `json:"at"`
	}
)

// show returns an event of the stream. Matches of rules alone are not sent.
func show(d bus.Delivery) (e live.Event, ok bool) {
	read, err := saved.ReadEvent(d.Type, d.Data)
	if err != nil {
		return e, false
	}
	var view any
	switch d := read.(type) {
	case *event.TagsChanged:
		e.Name, view = "tags", tagsView{d.Area, d.Id, append([]string{}, d.Added...), append([]string{}, d.Removed...), d.ChangedAt.AsTime()}
	case *event.SearchMatched:
		if len(d.Searches) == 0 {
			return e, false
		}
		e.Name, e.Facet, view = "match", d.Searches, matchView{d.Area, d.Id, d.Name, d.Searches, d.MatchedAt.AsTime()}
	case *event.RuleNotified:
		e.Name, view = "notice", noticeView{d.Area, d.Id, d.Name, d.Rule, d.Message, d.NotifiedAt.AsTime()}
	default:
		return e, false
	}
	e.Item = d.Item
	e.Data, err = json.Marshal(view)
	return e, err == nil
}

// Routes registers the stream of a saved search.
func (s *Service) Routes(r *web.Router, hub *live.Hub) {
	text := &huma.Schema{Type: "string"}
	hub.Handle(r, huma.Operation{
		OperationID: "live-search-events", Path: "/v1/searches/{name}/events", Tags: []string{"search"}, Summary: "Stream new matches of a saved search",
		Description: "Server-sent events like those of /v1/events: `match` for each item of the caller, and each item that it has tagged, that begins to match the " +
			"search. GET /v1/searches/{name}/hits returns what has matched before.",
		Parameters: []*huma.Param{
			{Name: "name", In: "path", Required: true, Schema: text},
			{Name: web.OwnerHeader, In: "header", Schema: text},
		},
	}, s.ofSearch)
}

// ofSearch selects the matches of the search that a request names.
func (s *Service) ofSearch(r *http.Request) (live.Filter, error) {
	owner, err := saved.Owner(web.CallerOf(r.Context()))
	if err != nil {
		return live.Filter{}, err
	}
	one, err := s.o.Found.Saved(r.Context(), owner, r.PathValue("name"))
	return live.Filter{Owner: owner, Area: area, Match: func(facet any) bool {
		searches, _ := facet.([]string)
		return slices.Contains(searches, one.Name)
	}}, err
}
