package obs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// Health reports whether a process is alive and ready. The zero value is ready to use. It is safe
// for concurrent use.
type Health struct {
	// Timeout limits the time of all checks of one response together; 0 means 2 seconds. It must be
	// set before the first response.
	Timeout time.Duration

	mu       sync.Mutex
	checks   map[string]func(context.Context) error
	draining bool
}

// Add registers a check of a dependency of the process, such as "nats". The check must return when its
// context is done. A second check with the same name replaces the first, so that services that share a
// process and a backend share its check.
func (h *Health) Add(name string, check func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checks == nil {
		h.checks = map[string]func(context.Context) error{}
	}
	h.checks[name] = check
}

// Drain makes Ready respond with 503 from now on, so that no new requests are
// routed here.
func (h *Health) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Readiness is the body of the response of Ready.
type Readiness struct {
	Status string            `json:"status"` // "ready", "not ready" or "draining"
	Checks map[string]string `json:"checks"` // by name: "ok" or the error
	Millis map[string]int64  `json:"millis"` // by name: duration of the check; missing if it did not finish in time
}

// Live responds with 200 as long as the process can respond.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, map[string]string{"status": "ok"})
}

// Ready runs all checks concurrently and responds with a Readiness: 200 if all pass, otherwise 503.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	readiness := h.Check(r.Context())
	status := http.StatusOK
	if readiness.Status != "ready" {
		status = http.StatusServiceUnavailable
	}
	respond(w, status, readiness)
}

// Check runs all checks concurrently. A check that does not return in time counts as failed.
func (h *Health) Check(ctx context.Context) Readiness {
	h.mu.Lock()
	timeout, draining := h.Timeout, h.draining
	checks := maps.Clone(h.checks)
	h.mu.Unlock()

	if timeout == 0 {
		timeout = 2 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	type result struct {
		name string
		err  error
		took time.Duration
	}
	results := make(chan result, len(checks)) // buffered for all checks, so that a late one does not block
	for name, check := range checks {
		go func() {
			began := time.Now()
			err := check(ctx)
			results <- result{name, err, time.Since(began)}
		}()
	}

	readiness := Readiness{Status: "ready", Checks: make(map[string]string, len(checks)), Millis: make(map[string]int64, len(checks))}
	for name := range checks {
		readiness.Checks[name] = fmt.Sprintf("no response within %s", timeout)
	}
	for range checks {
		select {
		case r := <-results:
			readiness.Checks[r.name], readiness.Millis[r.name] = "ok", r.took.Milliseconds()
			if r.err != nil {
				readiness.Checks[r.name] = r.err.Error()
			}
		case <-ctx.Done():
		}
	}
	for _, state := range readiness.Checks {
		if state != "ok" {
			readiness.Status = "not ready"
		}
	}
	if draining {
		readiness.Status = "draining"
	}
	return readiness
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// Encoding cannot fail for the types of the bodies. A write fails only if the client has
	// disconnected.
	_ = json.NewEncoder(w).Encode(body)
}
