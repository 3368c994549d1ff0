// Package newarea adds an area to the services, and proves that the services and the kernel do not depend on specific
// areas: work, outcomes, live events, sweeps, dead letters and their replay work as for any other area. The area exists
// only in this package. It adds up numbers.
package newarea

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// system is the three services with the area, on embedded engines in this process.
type system struct {
	store          store
	http, operator *client.Client
	url            string
	broken         atomic.Bool // whether processing fails for all items
}

const owner = "owner-of-sums"

func start(t *testing.T) *system {
	t.Helper()
	nats, err := embedded.StartNATS(embedded.NATSConfig{Dir: t.TempDir(), User: "assay", Password: "secret", Sync: "1s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Close)
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(t.TempDir(), "dynamodb.db"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closing(t, db))
	s3, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: t.TempDir(), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closing(t, s3))
	environ := []string{
		"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "ASSAY_NATS_URL=" + nats.URL(), "ASSAY_ALLOW_UNSYNCED=true",
		"ASSAY_DYNAMODB_ENDPOINT=" + db.URL(), "ASSAY_S3_ENDPOINT=" + s3.URL(), "ASSAY_LEASE=1s", "ASSAY_SWEEP_EVERY=200ms",
	}
	installation := load[setup.Config](t, environ)
	if err := setup.Run(t.Context(), installation, described()...); err != nil {
		t.Fatal(err)
	}
	stores, err := backend.Stores(t.Context(), installation.Backends)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stores.Close)
	s := &system{store: store{stores.DB}}
	reg := obs.NewRegistry()
	s.run(t,
		open(t, ingest.Open, environ, reg, ingested()),
		open(t, analyzer.Open, environ, reg, analyzed(&s.broken)),
		open(t, query.Open, environ, reg, queried()))
	return s
}

func closing(t *testing.T, engine io.Closer) func() {
	return func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}
}

func load[C any](t *testing.T, environ []string) C {
	t.Helper()
	cfg, err := config.Load[C](environ)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// open opens a service with an additional area.
func open[C, E any, S process.Service](t *testing.T, open func(context.Context, C, zerolog.Logger, prometheus.Registerer, ...E) (S, error),
	environ []string, reg prometheus.Registerer, more E,
) process.Service {
	t.Helper()
	s, err := open(t.Context(), load[C](t, environ), zerolog.Nop(), reg, more)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run serves the services on one address, and their operator calls on another, until the test ends.
func (s *system) run(t *testing.T, services ...process.Service) {
	t.Helper()
	calls, operators := web.NewRouter(web.Options{}), web.NewRouter(web.Options{Roles: []web.Role{web.Operator}})
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for _, service := range services {
		service.Routes(calls)
		if operated, ok := service.(process.Operated); ok {
			operated.OperatorRoutes(operators)
		}
		working.Go(func() {
			if err := service.Work(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	front, back := httptest.NewServer(calls), httptest.NewServer(operators)
	s.url, s.http, s.operator = front.URL, newClient(t, front.URL), newClient(t, back.URL)
	t.Cleanup(func() {
		stop()
		working.Wait()
		front.CloseClientConnections()
		front.Close()
		back.Close()
		for _, service := range services {
			service.Close()
		}
	})
}

func newClient(t *testing.T, url string) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{Server: url, OwnerID: owner})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// call makes a request and returns the sum in the response.
func (s *system) call(ctx context.Context, t *testing.T, method, path, body string) sum {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(web.OwnerHeader, owner)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s returned %s %s, %v; want success", method, path, resp.Status, content, err)
	}
	var answer sum
	if err := json.Unmarshal(content, &answer); err != nil {
		t.Fatalf("cannot decode %s: %v", content, err)
	}
	return answer
}

// final waits until a sum is in a final state, and returns it.
func (s *system) final(ctx context.Context, t *testing.T, id string) sum {
	t.Helper()
	for {
		if got := s.call(ctx, t, http.MethodGet, "/v1/sums/"+id+"?wait=30s", ""); machine().IsFinal(got.Status) {
			return got
		}
	}
}

// outcomes follows the live events of the owner until it has received the number of events in want, and returns the
// types of the events by item.
func (s *system) outcomes(ctx context.Context, t *testing.T, after string, want map[string]int) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	missing := 0
	for _, n := range want {
		missing += n
	}
	for e, err := range s.http.Events(ctx, client.Following{After: after}) {
		if err != nil {
			t.Fatal(err)
		}
		var o client.Outcome
		if err := json.Unmarshal(e.Data, &o); err != nil {
			t.Fatal(err)
		}
		if o.Area != areaName {
			continue
		}
		got[o.ID] = append(got[o.ID], e.Type)
		if missing--; missing == 0 {
			break
		}
	}
	return got
}

// TestNewArea: items of an area that is in the lists of the services are accepted, processed, announced, swept, failed
// and replayed like items of any other area.
func TestNewArea(t *testing.T) {
	if err := machine().Validate(); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	posted := s.call(ctx, t, http.MethodPost, "/v1/sums", `{"numbers":[1,2,39]}`)
	if posted.Status != pending {
		t.Errorf("a new sum is %s, want %s", posted.Status, pending)
	}
	if got := s.final(ctx, t, posted.ID); got.Status != completed || got.Total != 42 {
		t.Errorf("the sum is %+v, want %s with total 42", got, completed)
	}

	// The event is lost, as if ingest had crashed between its write and its event.
	lost, err := s.store.create(ctx, sum{ID: newID(), OwnerID: owner, Numbers: []int64{7}})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.final(ctx, t, lost.ID); got.Status != completed || got.Total != 7 {
		t.Errorf("the sum without an event is %+v, want %s with total 7", got, completed)
	}

	s.broken.Store(true)
	retried := s.call(ctx, t, http.MethodPost, "/v1/sums", `{"numbers":[3]}`)
	if got := s.final(ctx, t, retried.ID); got.Status != failed || got.ErrorMessage != reason.ProviderUnreachable.Error() {
		t.Errorf("the sum that cannot be processed is %+v, want %s with the reason", got, failed)
	}
	s.broken.Store(false)
	s.replay(ctx, t, retried.ID)
	if got := s.final(ctx, t, retried.ID); got.Status != completed || got.Total != 3 {
		t.Errorf("the replayed sum is %+v, want %s with total 3", got, completed)
	}

	got := s.outcomes(ctx, t, "0", map[string]int{posted.ID: 1, lost.ID: 1, retried.ID: 2})
	want := map[string][]string{posted.ID: {client.CompletedEvent}, lost.ID: {client.CompletedEvent}, retried.ID: {client.FailedEvent, client.CompletedEvent}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the outcomes are %v, want %v", got, want)
	}
}

// replay waits for the dead letter of an item and replays it.
func (s *system) replay(ctx context.Context, t *testing.T, id string) {
	t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for { // the dead letter is stored after the item has failed
		deadLetters, _, err := s.operator.DeadLetters(ctx, client.DeadFilter{Consumer: consumer}, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(deadLetters) == 0 {
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
				t.Fatalf("there is no dead letter of %s: %v; want one", id, ctx.Err())
			}
		}
		if len(deadLetters) != 1 || deadLetters[0].Item != id || deadLetters[0].Reason != reason.ProviderUnreachable.Error() {
			t.Fatalf("the dead letters are %+v, want one of %s", deadLetters, id)
		}
		result, err := s.operator.ReplayDead(ctx, client.BulkRequest{Sequence: deadLetters[0].Sequence})
		if err != nil || result.Done != 1 {
			t.Fatalf("ReplayDead = %+v, %v; want 1 done", result, err)
		}
		return
	}
}
