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

// Health answers whether a process lives and whether it can work. The zero value is ready for use,
// by several goroutines at once.
type Health struct {
	// Timeout is how long the checks of one answer may take together; 0 means 2 seconds. It must be
	// set before the first answer.
	Timeout time.Duration

	mu       sync.Mutex
	checks   map[string]func(context.Context) error
	draining bool
}

// Add names something the process cannot work without, such as "nats". The check must return when
// its context is done. A second check of one name replaces the first, so that services which share a
// process and an engine share its check.
func (h *Health) Add(name string, check func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checks == nil {
		h.checks = map[string]func(context.Context) error{}
	}
	h.checks[name] = check
}

// Drain makes Ready answer 503 from now on, so that no new work is sent here.
func (h *Health) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Readiness is the body of Ready's answer.
type Readiness struct {
	Status string            `json:"status"` // "ready", "not ready" or "draining"
	Checks map[string]string `json:"checks"` // by name: "ok" or what is wrong
}

// Live answers 200 as long as the process can answer at all.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// Ready runs all checks at once and answers a Readiness: with 200 when all are well, else with 503.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	readiness := h.Check(r.Context())
	status := http.StatusOK
	if readiness.Status != "ready" {
		status = http.StatusServiceUnavailable
	}
	answer(w, status, readiness)
}

// Check runs all checks at once. One that has not answered in time counts as failed.
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
	}
	results := make(chan result, len(checks)) // has room for all, so that a late check does not hang
	for name, check := range checks {
		go func() { results <- result{name, check(ctx)} }()
	}

	readiness := Readiness{Status: "ready", Checks: make(map[string]string, len(checks))}
	for name := range checks {
		readiness.Checks[name] = fmt.Sprintf("no answer within %s", timeout)
	}
	for range checks {
		select {
		case r := <-results:
			readiness.Checks[r.name] = "ok"
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

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The body is a struct of strings, so that encoding cannot fail; a write fails only when the
	// prober is gone.
	_ = json.NewEncoder(w).Encode(body)
}
