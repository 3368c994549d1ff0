package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// throttled returns a router with the same rates for all owners but free. Its handler of live events sends the result
// of EnterStream to entered, and calls leave when release has a value for its owner.
func throttled(rates web.Rates, entered chan<- error, release map[string]chan struct{}) *web.Router {
	r := web.NewRouter(web.Options{Throttle: web.NewThrottle(func(owner string) web.Rates {
		if owner == "free" {
			return web.Rates{}
		}
		return rates
	})})
	r.Mux.HandleFunc("GET /v1/a", func(http.ResponseWriter, *http.Request) {})
	r.Mux.HandleFunc("GET /page", func(http.ResponseWriter, *http.Request) {})
	r.Mux.HandleFunc("GET /v1/stream", func(w http.ResponseWriter, req *http.Request) {
		leave, err := web.EnterStream(req.Context())
		entered <- err
		if err != nil {
			web.WriteError(w, req, err)
			return
		}
		<-release[web.CallerOf(req.Context()).Owner]
		leave()
	})
	return r
}

func askAs(ctx context.Context, r *web.Router, path, owner, client string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	req.RemoteAddr = client + ":1234"
	if owner != "" {
		req.Header.Set(web.OwnerHeader, owner)
	}
	r.ServeHTTP(w, req)
	return w
}

// TestThrottleLimitsRequests checks the burst, the refill and the response fields, separately for each caller.
func TestThrottleLimitsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := throttled(web.Rates{Requests: 4}, nil, nil)
		took := func(owner, client string, want ...int) {
			t.Helper()
			for i, status := range want {
				w := askAs(t.Context(), r, "/v1/a", owner, client)
				if w.Code != status {
					t.Fatalf("request %d of %q from %s: got %d, want %d", i, owner, client, w.Code, status)
				}
				if policy := w.Header().Get("RateLimit-Policy"); policy != `"requests";q=4;w=1` {
					t.Errorf("got RateLimit-Policy %s, want 4 requests per second", policy)
				}
				if limited := status == http.StatusTooManyRequests; limited != (w.Header().Get("Retry-After") == "1") {
					t.Errorf("got status %d, header %v, want Retry-After: 1 only with 429", status, w.Header())
				}
			}
		}
		took("anna", "192.0.2.1", 200, 200, 200, 200, 429, 429)
		if w := askAs(t.Context(), r, "/page", "anna", "192.0.2.1"); w.Code != http.StatusOK || w.Header().Get("RateLimit") != "" {
			t.Errorf("a path outside of the API: got %d %v, want 200 without RateLimit", w.Code, w.Header())
		}
		took("bob", "192.0.2.1", 200, 200, 200, 200, 429) // another owner at the same address
		took("", "192.0.2.1", 200, 200, 200, 200, 429)    // clients without an owner count by address
		took("", "192.0.2.2", 200)
		for range 100 {
			if w := askAs(t.Context(), r, "/v1/a", "free", "192.0.2.1"); w.Code != http.StatusOK || w.Header().Get("RateLimit") != "" {
				t.Fatalf("an owner without a limit: got %d %v, want 200 without RateLimit", w.Code, w.Header())
			}
		}
		<-time.After(500 * time.Millisecond) // of the test's clock: two tokens
		took("anna", "192.0.2.1", 200, 200, 429)
		<-time.After(time.Hour) // not more than the burst
		took("anna", "192.0.2.1", 200, 200, 200, 200, 429)
	})
}

// TestThrottleIsExact checks that a caller that sends requests constantly for ten seconds gets exactly its rate,
// regardless of when its bucket is removed from memory.
func TestThrottleIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := throttled(web.Rates{Requests: 10}, nil, nil)
		for _, pause := range []time.Duration{10 * time.Millisecond, 70 * time.Millisecond, 300 * time.Millisecond} {
			served, sent, began := 0, 0, time.Now()
			for time.Since(began) < 10*time.Second {
				if sent++; askAs(t.Context(), r, "/v1/a", "owner"+strconv.Itoa(int(pause)), "192.0.2.1").Code == http.StatusOK {
					served++
				}
				<-time.After(pause)
			}
			if want := min(sent, 10*10+10); served < want-1 || served > want {
				t.Errorf("with a pause of %s: %d of %d requests were served, want %d", pause, served, sent, want)
			}
		}
	})
}

// TestEnterStreamLimitsOpenStreams checks that each owner has its own limit, and may open another stream after one has
// ended.
func TestEnterStreamLimitsOpenStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan error, 1), map[string]chan struct{}{"anna": make(chan struct{}), "bob": make(chan struct{}), "free": make(chan struct{})}
		r := throttled(web.Rates{Streams: 2}, entered, release)
		open := func(owner string, want bool) {
			t.Helper()
			responded := make(chan *httptest.ResponseRecorder, 1)
			go func() { responded <- askAs(t.Context(), r, "/v1/stream", owner, "192.0.2.1") }()
			if err := <-entered; (err == nil) != want {
				t.Fatalf("a stream of %s: got error %v, want accepted = %t", owner, err, want)
			}
			if want {
				return
			}
			w := <-responded
			if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "5" || w.Header().Get("RateLimit-Policy") != `"streams";q=2;qu="concurrent-requests"` {
				t.Errorf("a stream above the quota: got %d %v, want 429 with Retry-After and RateLimit-Policy", w.Code, w.Header())
			}
		}
		open("anna", true)
		open("anna", true)
		open("anna", false)
		open("bob", true)
		for range 3 {
			open("free", true)
		}
		release["bob"] <- struct{}{}
		synctest.Wait()
		open("anna", false)
		release["anna"] <- struct{}{}
		synctest.Wait()
		open("anna", true)
		open("anna", false)
		for _, end := range release {
			close(end)
		}
	})
}
