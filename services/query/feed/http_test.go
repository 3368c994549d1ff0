package feed

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/sqlite"
	"github.com/assay-project/assay/services/query/wait"
)

// TestFiltersAreParameters checks that every read of several items has all filters as parameters.
func TestFiltersAreParameters(t *testing.T) {
	hub := live.New(live.Config{}, live.Options{Registry: prometheus.NewRegistry()})
	area, err := New(Config{}, &backend.Connections{}, hub, wait.New(wait.Config{}, hub), search.Indexes{At: sqlite.At}, nil, zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter(web.Options{})
	area.Routes(router)
	for path, want := range map[string][]string{
		"/v1/feed/items":   {"cursor", "from", "hours", "limit", "sentiment", "sourceType", "tag", "to"},
		"/v1/feed/summary": {"compare", "from", "hours", "sentiment", "sourceType", "tag", "tagLimit", "to"},
		"/v1/feed/series":  {"bucket", "from", "hours", "sentiment", "sourceType", "tag", "to"},
		"/v1/feed/events":  {"Last-Event-ID", "sentiment", "sourceType", "tag"},
	} {
		var got []string
		for _, parameter := range router.API.OpenAPI().Paths[path].Get.Parameters {
			got = append(got, parameter.Name)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s has the parameters %v, want %v", path, got, want)
		}
	}
}

// TestSummariesAreBounded checks that a summary contains only the most frequent tags.
func TestSummariesAreBounded(t *testing.T) {
	areas, store := replicas(t, 1)
	for n, tag := range []string{"rare", "often", "often"} {
		item := feedtest.Create(t, store, feedtest.Submission(n, time.Now(), tag))
		if _, err := store.Analyze(t.Context(), item, feedtest.Liked()); err != nil {
			t.Fatal(err)
		}
	}
	for areas[0].total(t) < 3 {
	}
	out, err := areas[0].getSummary(t.Context(), &summaryInput{Selection: Selection{Hours: 1}, TagLimit: 1})
	if err != nil || !strings.Contains(string(out.Body), `"tags":[{"tag":"often","count":2}]`) {
		t.Errorf("got %s, error %v, want only the tag \"often\" with the count 2", out.Body, err)
	}
}
