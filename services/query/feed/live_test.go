package feed

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
)

func TestLiveFiltersCompose(t *testing.T) {
	completed := event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: feed.Name, Id: "rss#1", Result: &event.AnalysisCompleted_TextSentiment{TextSentiment: &event.TextSentiment{
			Sentiment: feed.Positive, SourceType: "rss", MatchedTags: []string{"AI now", "b"},
		}},
	})
	data, err := completed.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	signal, err := feed.NewAlert(&event.FeedAlert{Name: "outage", State: "firing"}, "id").Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]bool{
		"sentiment=positive": true, "sentiment=negative": false, "sourceType=rss": true, "sourceType=reddit": false,
		"tag=b": true, "tag=%20AI%20%20now": true, "tag=c": false, "sentiment=positive&sourceType=rss&tag=b": true,
		"sentiment=positive&sourceType=rss&tag=c": false, "sentiment=neutral&sourceType=rss&tag=b": false,
	} {
		chosen, err := filter(httptest.NewRequest("GET", "/v1/feed/events?"+query, nil))
		if err != nil {
			t.Errorf("%s: got error %v, want none", query, err)
			continue
		}
		if alert, ok := alertChange(bus.Delivery{Data: signal}); !ok || alert.Name != alertEvent || !chosen.Match(alert.Facet) {
			t.Errorf("%s: got alert event %+v, %t, want one that matches", query, alert, ok)
		}
		if got, empty := chosen.Match(resultOf(data)), chosen.Match(resultOf([]byte("{}"))); got != want || empty {
			t.Errorf("%s: got match %t, and %t for an event without a result, want %t and false", query, got, empty, want)
		}
	}
	for _, query := range []string{"sentiment=glad", "sourceType=blog"} {
		_, err := filter(httptest.NewRequest("GET", "/v1/feed/events?"+query, nil))
		if problem, ok := errors.AsType[*web.Problem](err); !ok || problem.Status != 422 {
			t.Errorf("%s: got error %v, want a problem with status 422", query, err)
		}
	}
}
