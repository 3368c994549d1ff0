package setup_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/setup"
)

// check runs Check, which must not fail.
func check(t *testing.T, cfg setup.Config, operated ...string) setup.Report {
	t.Helper()
	r, err := setup.Check(t.Context(), cfg, operated)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCheckReportsWhatSetupChanges checks that Check lists every table, stream and bucket before the first setup and none
// after it, and that it changes nothing itself.
func TestCheckReportsWhatSetupChanges(t *testing.T) {
	cfg := start(t)
	for range 2 {
		r := check(t, cfg)
		kinds := map[string]int{}
		for _, c := range r.Changes {
			if c.Action != "create" || c.Manual {
				t.Errorf("%s %s: got the action %s, manual %t, want create", c.Kind, c.Name, c.Action, c.Manual)
			}
			kinds[c.Kind]++
		}
		if !r.Possible() || kinds["table"] != 8 || kinds["bucket"] != 3 || kinds["stream"] < 9 {
			t.Errorf("before setup: got %v, blockers %q, want 8 tables, 3 buckets, at least 9 streams and no blocker", kinds, r.Blockers)
		}
		if !slices.ContainsFunc(r.Steps, func(step string) bool { return strings.HasPrefix(step, "Run assay setup") }) {
			t.Errorf("the steps are %q, want one that runs assay setup", r.Steps)
		}
	}
	if err := setup.Run(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	r := check(t, cfg)
	if !r.Possible() || len(r.Changes)+len(r.Newer) != 0 {
		t.Errorf("after setup: got changes %v, newer %v, blockers %q, want none", r.Changes, r.Newer, r.Blockers)
	}
	at := func(name string) int {
		return slices.IndexFunc(r.Steps, func(step string) bool { return strings.HasPrefix(step, "Replace each process of "+name) })
	}
	if query, analyzer, ingest := at("query"), at("analyzer"), at("ingest"); query < 0 || query > analyzer || analyzer > ingest {
		t.Errorf("the steps are %q, want query, analyzer and ingest to be replaced in this order", r.Steps)
	}
}

// TestCheckReportsTheVersionsOfServices checks that Check reads the versions of services from their operator addresses, and
// omits a service whose processes all have this version from the steps.
func TestCheckReportsTheVersionsOfServices(t *testing.T) {
	cfg := start(t)
	version := check(t, cfg).Version
	serve := func(title, version string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/openapi.json" {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write([]byte(`{"info":{"title":"` + title + `","version":"` + version + `"}}`))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	old, current := serve("Assay ingest for operators", "v0.0.9"), serve("Assay query for operators", version)
	r := check(t, cfg, old, current, "http://127.0.0.1:1")
	want := []setup.Running{{URL: old, Name: "ingest", Version: "v0.0.9"}, {URL: current, Name: "query", Version: version}}
	if !slices.Equal(r.Services[:2], want) || r.Services[2].Error == "" {
		t.Errorf("got the services %+v, want %+v and one with an error", r.Services, want)
	}
	steps := strings.Join(r.Steps, "\n")
	if !strings.Contains(steps, old+" has version v0.0.9") || strings.Contains(steps, "process of query") {
		t.Errorf("the steps are %s, want one that replaces the ingest of version v0.0.9, and none that replaces query", steps)
	}
}

// TestCheckBlocksADowngrade checks that messages and rows of newer versions, and a missing index, block a rolling upgrade or
// downgrade.
func TestCheckBlocksADowngrade(t *testing.T) {
	cfg := start(t)
	if err := setup.Run(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	backends, err := backend.Stores(t.Context(), cfg.Backends)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(backends.Close)
	newer := bus.Config{URL: cfg.Backends.NATS.URL, Work: []bus.Work{textfile.Work()}}
	newer.Work[0].Version = 2
	b, err := bus.Join(newer, "newer", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	e := textfile.NewUploaded(&event.FileUploaded{FileId: "f1", OwnerId: "ann"})
	e.Version = 2
	if err := b.Publish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	row := platform.Document{Name: "newer", Body: "{}", Format: platform.Format + 1}
	if err := platform.NewStore(backends.DB, cfg.Platform).Put(t.Context(), platform.FeedSources, row); err != nil {
		t.Fatal(err)
	}
	leaveSettings(t, cfg.Backends.NATS.URL)
	index := "by_tag"
	_, err = backends.DB.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String(cfg.Feed.Dashboard), GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &index}}},
	})
	if err != nil {
		t.Fatal(err)
	}

	r := check(t, cfg)
	want := []setup.Newer{{Kind: "rows", Name: cfg.Platform.Table, Count: 1, Complete: true}, {Kind: "settings", Name: bus.StreamDead, Count: 1, Complete: true}, {Kind: "messages", Name: textfile.WorkStream, Count: 1, Complete: true}}
	if r.Possible() || len(r.Blockers) != 3 || !slices.Equal(r.Newer, want) {
		t.Errorf("got newer %+v and blockers %q, want %+v and three blockers", r.Newer, r.Blockers, want)
	}
	if changes := []setup.Change{{Kind: "table", Name: cfg.Feed.Dashboard, Action: "add the index " + index, Manual: true}}; !slices.Equal(r.Changes, changes) {
		t.Errorf("got changes %+v, want %+v", r.Changes, changes)
	}
	if len(r.Steps) == 0 || strings.Contains(strings.Join(r.Steps, " "), "Replace each process") {
		t.Errorf("the steps are %q, want none that replaces a process", r.Steps)
	}
}

// leaveSettings changes a stream as a newer version does.
func leaveSettings(t *testing.T, url string) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	changed := stream.CachedInfo().Config
	changed.Metadata, changed.MaxAge = map[string]string{"assay-settings": "2"}, time.Hour
	if _, err := js.UpdateStream(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
}
