package webhooks

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// owner is an owner of endpoints.
type owner struct {
	system.System
	name string
}

func newOwner(s system.System) owner { return owner{s, system.NewOwner()} }

// endpoint is a registered endpoint of a test.
type endpoint struct {
	ID, Secret, State, Reason string

	owner   owner
	arrived chan arrival
	mu      sync.Mutex
	respond []int // with; then 200
}

// arrival is a verified request.
type arrival struct {
	Type string
	Data map[string]any

	id, signature string
	at            time.Time
}

// register registers an endpoint with more members of the body. It responds with the statuses, then with 200.
func (o owner) register(t *testing.T, more string, respond ...int) *endpoint {
	t.Helper()
	e := &endpoint{owner: o, arrived: make(chan arrival, 100), respond: respond}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e.receive(t, w, r) }))
	t.Cleanup(server.Close)
	if more != "" {
		more = "," + more
	}
	o.call(t, http.MethodPost, "", `{"url":"`+server.URL+`"`+more+`}`, http.StatusCreated, e)
	return e
}

func (e *endpoint) receive(t *testing.T, w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	body, err := system.ReadWebhook(r, e.Secret)
	a := arrival{id: r.Header.Get("webhook-id"), signature: r.Header.Get("webhook-signature"), at: time.Now()}
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err != nil {
		t.Errorf("%v: %s", err, body)
	}
	if len(e.respond) > 0 {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(e.respond[0])
		_, _ = io.WriteString(w, "not now")
		e.respond = e.respond[1:]
	}
	e.arrived <- a
}

// next returns the next request.
func (e *endpoint) next(t *testing.T) arrival {
	t.Helper()
	select {
	case a := <-e.arrived:
		return a
	case <-system.Within(t).Done():
		t.Fatal("no request has arrived")
		return arrival{}
	}
}

// delivery is a delivery as the API shows it.
type delivery struct {
	ID, Status, Type string
	NextAttempt      time.Time
	Attempts         []struct {
		HTTPStatus      int
		Error, Response string
	}
}

func (e *endpoint) test(t *testing.T) delivery {
	t.Helper()
	var d delivery
	e.owner.call(t, http.MethodPost, "/"+e.ID+"/test", "", http.StatusOK, &d)
	return d
}

func (e *endpoint) rotate(t *testing.T) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.owner.call(t, http.MethodPost, "/"+e.ID+"/rotate", "", http.StatusOK, e)
}

func (o owner) deliveries(t *testing.T, e *endpoint, status string) []delivery {
	t.Helper()
	var page struct{ Deliveries []delivery }
	path := "/" + e.ID + "/deliveries"
	if status != "" {
		path += "?status=" + status
	}
	o.call(t, http.MethodGet, path, "", http.StatusOK, &page)
	return page.Deliveries
}

// call makes a call below /v1/webhooks.
func (o owner) call(t *testing.T, method, path, body string, want int, into any) {
	t.Helper()
	header := map[string]string{"X-Owner-Id": o.name}
	if body != "" {
		header["Content-Type"] = "application/json"
	}
	resp, text := o.Ask(t, method, "/v1/webhooks"+path, header, body)
	if resp.StatusCode != want {
		t.Fatalf("%s %s: got %s, want %d: %s", method, path, resp.Status, want, text)
	}
	if into != nil {
		system.Decode(t, text, into)
	}
}

// upload uploads a text that names an endpoint, unless that is empty, and returns its id.
func (o owner) upload(t *testing.T, text, webhook string) string {
	t.Helper()
	body, contentType := system.Form(`form-data; name="file"; filename="a.txt"`, "text/plain", text)
	header := map[string]string{"X-Owner-Id": o.name, "Content-Type": contentType}
	if webhook != "" {
		header["X-Webhook"] = webhook
	}
	resp, answer := o.Ask(t, http.MethodPost, "/v1/files", header, body)
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("got %s: %s", resp.Status, answer)
	}
	var file struct{ FileID string }
	system.Decode(t, answer, &file)
	return file.FileID
}
