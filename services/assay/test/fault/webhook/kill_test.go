// Package webhook kills query while it delivers outcomes to endpoints that respond in different ways, and checks that
// a good one receives every outcome and does not wait for the others.
package webhook

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	outcomes = flag.Int("webhook.outcomes", 200, "number of outcomes")
	kills    = flag.Int("webhook.kills", 2, "number of times that query is killed")
	pace     = flag.Int("webhook.rate", 40, "outcomes per second")
	alone    = flag.Bool("webhook.alone", false, "measure the delay of the good endpoint without the others first")
)

func TestMain(m *testing.M) { system.Main(m) }

// patience is how long the test waits for deliveries after the last kill.
const patience = 2 * time.Minute

// TestKilledQueryLosesNoDelivery publishes outcomes while query is killed. The endpoints are good, dead, slow, flapping, and
// rotating its secret. With -webhook.alone, it also compares the delay of the good endpoint with that of a system without the
// others, which must be at least half of it.
func TestKilledQueryLosesNoDelivery(t *testing.T) {
	var before time.Duration
	if *alone {
		w := start(t)
		good := w.register(t, respond(http.StatusNoContent))
		w.run(t)
		before = w.judge(t, good)
		t.Logf("alone: median delay %s", before)
	}
	w := start(t)
	good, rotating := w.register(t, respond(http.StatusNoContent)), w.register(t, respond(http.StatusOK))
	dead := w.register(t, nil)
	slow := w.register(t, func(http.ResponseWriter, *http.Request) { <-w.end })
	flapping := w.register(t, flap)
	stop := w.rotate(t, rotating)
	w.run(t)
	after := w.judge(t, good)
	t.Logf("with others: median delay %s", after)
	w.judge(t, rotating)
	stop()
	if before > 0 && after > 2*before {
		t.Errorf("got a median delay of %s, want at most twice that without other endpoints, %s", after, before)
	}
	for name, r := range map[string]*receiver{"dead": dead, "slow": slow, "flapping": flapping} {
		w.bounded(t, name, r)
	}
}

// world is a cluster without an analyzer, whose outcomes the test publishes.
type world struct {
	*system.Cluster
	ingest, query *system.Service
	bus           *bus.Bus
	end           chan struct{} // closed when the test ends
	ids           []string      // of the events
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{Cluster: system.StartCluster(t), end: make(chan struct{})}
	t.Cleanup(func() { close(w.end) })
	w.ingest, w.query = w.Service(t, "ingest"), w.Service(t, "query")
	var err error
	w.bus, err = bus.Join(bus.Config{URL: w.NATS}, "test", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.bus.Close)
	return w
}

// run publishes the outcomes at an even pace and kills query at even intervals.
func (w *world) run(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(time.Second / time.Duration(*pace))
	defer tick.Stop()
	for i := range *outcomes {
		<-tick.C
		e := event.NewAnalysisCompleted(&event.AnalysisCompleted{
			Area: "textfile", Id: fmt.Sprintf("f-%d", i), OwnerId: owner, CompletedAt: timestamppb.New(time.Now().Truncate(time.Millisecond)),
			Result: &event.AnalysisCompleted_TextStatistics{TextStatistics: &event.TextStatistics{TotalWords: float64(i)}},
		})
		if err := w.bus.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		w.ids = append(w.ids, webhook.MessageID(e.ID))
		if every := *outcomes / (*kills + 1); (i+1)%every == 0 && (i+1)/every <= *kills {
			w.query.Kill(t)
			w.query = w.Service(t, "query")
		}
	}
}

// judge waits until an endpoint has received every outcome, and returns its median delay.
func (w *world) judge(t *testing.T, r *receiver) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for len(r.received()) < len(w.ids) {
		select {
		case <-ctx.Done():
			t.Fatalf("got %d of %d outcomes", len(r.received()), len(w.ids))
		case <-r.changed:
		}
	}
	received := r.received()
	var delays []time.Duration
	for _, id := range w.ids {
		got, ok := received[id]
		if !ok {
			t.Errorf("no delivery of %s", id)
			continue
		}
		delays = append(delays, got.delay)
	}
	if len(received) != len(w.ids) {
		t.Errorf("got %d different deliveries, want %d", len(received), len(w.ids))
	}
	slices.Sort(delays)
	return delays[len(delays)/2]
}

// bounded checks that the requests of an endpoint that fails follow the schedule.
func (w *world) bounded(t *testing.T, name string, r *receiver) {
	t.Helper()
	most := 0
	for _, got := range r.received() {
		most = max(most, got.requests)
	}
	if limit := webhook.Attempts + *kills; most > limit {
		t.Errorf("%s: got %d requests for one event, want at most %d attempts and a repetition for each kill", name, most, limit)
	}
	var page struct {
		Deliveries []struct {
			ID       string
			Attempts []struct{ HTTPStatus int }
		}
	}
	r.call(t, w.query.URL, http.MethodGet, "/deliveries?limit=200", "", http.StatusOK, &page)
	if len(page.Deliveries) == 0 {
		t.Errorf("%s: no deliveries are listed", name)
	}
	for _, d := range page.Deliveries {
		if len(d.Attempts) > webhook.Attempts {
			t.Errorf("%s: %s has %d attempts, want at most %d", name, d.ID, len(d.Attempts), webhook.Attempts)
		}
	}
}
