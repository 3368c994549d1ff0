package feed

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/sqlite"
	"github.com/assay-project/assay/services/query/wait"
)

// behind is the maximum time by which responses can lag behind the projection.
const behind = time.Second

// replicas opens areas with the default settings on the same tables. Only the first one projects.
func replicas(t *testing.T, n int) (areas []*Area, store *feed.Store) {
	t.Helper()
	cfg, err := config.Load[Config](nil)
	if err != nil {
		t.Fatal(err)
	}
	db, streams, _ := tabletest.StartStreams(t)
	if err := table.EnsureAll(t.Context(), db, append(feed.Tables(cfg.Tables), platform.Storage(cfg.Platform).Tables...)); err != nil {
		t.Fatal(err)
	}
	outcomes := bustest.Open(t)
	for range n {
		reg := prometheus.NewRegistry()
		hub := live.New(live.Config{}, live.Options{Log: zerolog.Nop(), Registry: reg})
		area, err := New(cfg, &backend.Connections{DB: db, Streams: streams, Bus: outcomes.Bus}, hub, wait.New(wait.Config{}, hub), search.Indexes{At: sqlite.At, Bus: outcomes.Bus, Registry: reg}, nil, zerolog.Nop(), reg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(area.Close)
		areas = append(areas, area)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- areas[0].Work(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return areas, feed.NewStore(db, cfg.Tables)
}

// total requests the total of the last hour.
func (a *Area) total(t *testing.T) int {
	t.Helper()
	out, err := a.getSummary(t.Context(), &summaryInput{Selection: Selection{Hours: 1}, TagLimit: 1})
	if err != nil {
		t.Error(err)
		return 0
	}
	var summary struct{ Total int }
	if err := json.Unmarshal(out.Body, &summary); err != nil {
		t.Error(err)
	}
	return summary.Total
}

// analyzed adds an analyzed item.
func analyzed(t *testing.T, store *feed.Store, n int, at time.Time) {
	t.Helper()
	item := feedtest.Create(t, store, feedtest.Submission(n, at, "a"))
	if _, err := store.Analyze(t.Context(), item, feedtest.Liked()); err != nil {
		t.Fatal(err)
	}
}

// TestReplicasFollowTheProjection sends requests to three replicas continuously. Once a read of the table
// returns an item, every request that begins at least a second later must return it, on each replica.
func TestReplicasFollowTheProjection(t *testing.T) {
	t.Parallel()
	areas, store := replicas(t, 3)
	for n := range 3 {
		for _, a := range areas {
			a.total(t) // fills the caches with responses that will be outdated
		}
		analyzed(t, store, n, time.Now())
		for {
			summary, err := areas[0].dashboard.Summary(t.Context(), dashboard.Query{Hours: 1})
			if err != nil {
				t.Fatal(err)
			}
			if summary.Total > n {
				break
			}
		}
		projected := time.Now()
		var asking sync.WaitGroup
		for i, a := range areas {
			asking.Go(func() {
				for asked := projected; ; asked = time.Now() {
					got := a.total(t)
					if got == n+1 {
						t.Logf("replica %d was up to date after %s", i, asked.Sub(projected).Round(time.Millisecond))
						return
					}
					if asked.Sub(projected) > behind || t.Failed() {
						t.Errorf("replica %d: %s after the projection the total is %d, want %d", i, asked.Sub(projected), got, n+1)
						return
					}
				}
			})
		}
		asking.Wait()
	}
}

// TestCachedWindowsAdvance requests the last hour continuously while an item leaves it.
func TestCachedWindowsAdvance(t *testing.T) {
	t.Parallel()
	areas, store := replicas(t, 1)
	added := time.Now()
	analyzed(t, store, 1, added.Add(2*time.Second-time.Hour))
	seen := false
	for asked := time.Now(); ; asked = time.Now() {
		got := areas[0].total(t)
		seen = seen || got == 1
		if left := asked.Sub(added.Add(2 * time.Second)); left > behind {
			if got != 0 {
				t.Errorf("%s after the item left the window: got total %d, want 0", left, got)
			}
			break
		}
	}
	if !seen {
		t.Error("got no total of 1, want the item to be counted before it leaves the window")
	}
}
