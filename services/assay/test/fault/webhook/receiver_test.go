package webhook

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

const owner = "ann"

// receiver is a registered endpoint.
type receiver struct {
	id      string
	owned   *testing.T
	changed chan struct{}

	mu      sync.Mutex
	secrets []string // the newest last
	got     map[string]arrival
}

// arrival is what an endpoint has received for one event.
type arrival struct {
	delay    time.Duration // of the first request
	requests int
}

// respond returns a handler that responds with a status.
func respond(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// phase is the time for which a flapping endpoint is in one state.
const phase = 10 * time.Second

// flap succeeds and fails by turns.
func flap(w http.ResponseWriter, _ *http.Request) {
	if time.Now().Unix()/int64(phase/time.Second)%2 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// register registers an endpoint with a handler. Without one, no program listens at its URL.
func (w *world) register(t *testing.T, handle http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{owned: t, changed: make(chan struct{}, 1), got: map[string]arrival{}}
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		r.arrive(request)
		handle(response, request)
	}))
	if handle == nil {
		server.Close()
	} else {
		t.Cleanup(func() { server.CloseClientConnections(); go server.Close() })
	}
	var created struct{ ID, Secret string }
	r.call(t, w.ingest.URL, http.MethodPost, "", `{"url":"`+server.URL+`"}`, http.StatusCreated, &created)
	r.id = created.ID
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, created.Secret)
	return r
}

// arrive verifies and records a request.
func (r *receiver) arrive(request *http.Request) {
	arrived := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	// After a rotation, requests are signed with the new secret and the one before it.
	body, err := system.ReadWebhook(request, r.secrets[max(0, len(r.secrets)-2):]...)
	if body == nil {
		return // the sender was killed
	}
	var payload struct{ Timestamp time.Time }
	if err == nil {
		err = json.Unmarshal(body, &payload)
	}
	if err != nil {
		r.owned.Errorf("%v: %v: %s", err, request.Header, body)
	}
	id := request.Header.Get(webhook.HeaderID)
	got, again := r.got[id]
	if !again {
		got.delay = arrived.Sub(payload.Timestamp)
	}
	got.requests++
	r.got[id] = got
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// received returns what has arrived, by message id.
func (r *receiver) received() map[string]arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.got)
}

// rotate rotates the secret of an endpoint every few seconds until stop is called.
func (w *world) rotate(t *testing.T, r *receiver) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var rotating sync.WaitGroup
	rotating.Go(func() {
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			r.mu.Lock() // requests in between wait for the secret
			var renewed struct{ Secret string }
			r.call(t, w.ingest.URL, http.MethodPost, "/"+r.id+"/rotate", "", http.StatusOK, &renewed)
			r.secrets = append(r.secrets, renewed.Secret)
			r.mu.Unlock()
		}
	})
	return func() { close(done); rotating.Wait() }
}

// call makes a call about the endpoint. path follows that of the endpoint, if it is registered.
func (r *receiver) call(t *testing.T, base, method, path, body string, want int, into any) {
	t.Helper()
	at := base + "/v1/webhooks"
	if r.id != "" && !strings.HasPrefix(path, "/"+r.id) {
		at += "/" + r.id
	}
	request, err := http.NewRequestWithContext(t.Context(), method, at+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	request.Header.Set("X-Owner-Id", owner)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode == want {
		err = json.Unmarshal(answer, into)
	}
	if err != nil || response.StatusCode != want {
		t.Errorf("%s %s: %d, %v: %s", method, at+path, response.StatusCode, err, answer)
	}
}
