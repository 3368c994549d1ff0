package obs_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-project/assay/pkg/obs"
)

func ready(t *testing.T, h *obs.Health) (int, obs.Readiness) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.Ready(rec, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	var body obs.Readiness
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	return rec.Code, body
}

func TestReadyReportsEachCheck(t *testing.T) {
	var h obs.Health
	h.Add("nats", func(context.Context) error { return errors.New("replaced") })
	h.Add("nats", func(context.Context) error { return nil })
	if status, body := ready(t, &h); status != http.StatusOK || body.Status != "ready" || body.Checks["nats"] != "ok" {
		t.Errorf("with passing checks: got %d %+v, want 200 ready", status, body)
	}

	h.Add("s3", func(context.Context) error { return errors.New("no such bucket") })
	status, body := ready(t, &h)
	want := map[string]string{"nats": "ok", "s3": "no such bucket"}
	if status != http.StatusServiceUnavailable || body.Status != "not ready" || !maps.Equal(body.Checks, want) {
		t.Errorf("with a failing check: got %d %+v, want 503 not ready with checks %v", status, body, want)
	}
}

func TestReadyIsFalseWhileDraining(t *testing.T) {
	var h obs.Health
	h.Add("nats", func(context.Context) error { return nil })
	h.Drain()
	if status, body := ready(t, &h); status != http.StatusServiceUnavailable || body.Status != "draining" {
		t.Errorf("got %d %+v, want 503 draining", status, body)
	}
	rec := httptest.NewRecorder()
	h.Live(rec, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if rec.Code != http.StatusOK {
		t.Errorf("/healthz while draining: got %d, want 200", rec.Code)
	}
}

func TestChecksRunConcurrentlyWithOneTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h obs.Health
		hang := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		h.Add("a", hang)
		h.Add("b", hang)
		h.Add("c", func(context.Context) error { return nil })
		began := time.Now()
		got := h.Check(t.Context())
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %s, want the default of 2s", took)
		}
		if got.Status != "not ready" || got.Checks["c"] != "ok" || got.Checks["a"] == "ok" || got.Checks["b"] == "ok" {
			t.Errorf("got %+v, want not ready with only c ok", got)
		}
	})
}

func TestCheckThatIgnoresItsContextDoesNotDelayTheResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := obs.Health{Timeout: time.Second}
		h.Add("stuck", func(context.Context) error { <-release; return nil })
		if got := h.Check(t.Context()); got.Checks["stuck"] != "no response within 1s" {
			t.Errorf("got %+v, want no response within 1s", got)
		}
		close(release)
	})
}

func TestMetricsIncludeTheProcess(t *testing.T) {
	rec := httptest.NewRecorder()
	obs.MetricsHandler(obs.NewRegistry()).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, name := range []string{"go_goroutines", "process_start_time_seconds"} {
		if !strings.Contains(rec.Body.String(), name) {
			t.Errorf("/metrics contains no %s, want it", name)
		}
	}
}
