package feed

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/wait"
)

// TestFiltersAreParameters checks that every read of several items has all filters.
func TestFiltersAreParameters(t *testing.T) {
	hub := live.New(live.Config{}, live.Options{Registry: prometheus.NewRegistry()})
	area, err := New(Config{}, &backend.Connections{}, hub, wait.New(wait.Config{}, hub), zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter(web.Options{})
	area.Routes(router)
	for path, want := range map[string][]string{
		"/v1/feed/items":   {"cursor", "from", "hours", "limit", "sentiment", "sourceType", "tag", "to"},
		"/v1/feed/summary": {"from", "hours", "sentiment", "sourceType", "tag", "to"},
		"/v1/feed/series":  {"bucket", "from", "hours", "sentiment", "sourceType", "tag", "to"},
		"/v1/feed/events":  {"Last-Event-ID", "sentiment", "sourceType", "tag"},
	} {
		var got []string
		for _, parameter := range router.API.OpenAPI().Paths[path].Get.Parameters {
			got = append(got, parameter.Name)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", path, got, want)
		}
	}
}
