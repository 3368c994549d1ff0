package outage

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e"
	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// answerTime is the promise of 5 s for the response to a request while a backend is unavailable, with a margin for a
// busy machine.
const answerTime = 15 * time.Second

// atOnce is the number of requests that a test sends concurrently.
const atOnce = 64

// outages is a system whose services reach each engine through a relay.
type outages struct {
	*system.Cluster
	engines map[string]*system.Relay
	owner   string
}

// startOutages starts the services without a cache of feed responses, so that each read needs DynamoDB.
func startOutages(t *testing.T, env ...string) *outages {
	t.Helper()
	c := system.StartCluster(t, system.NoSweep, "ASSAY_LEASE=10m", "ASSAY_FEED_CACHE=0s")
	o := &outages{Cluster: c, owner: system.NewOwner(), engines: map[string]*system.Relay{
		"DynamoDB": system.NewRelay(t, c.DynamoDB), "S3": system.NewRelay(t, c.S3), "NATS": system.NewRelay(t, c.NATS),
	}}
	c.Env = append(append(c.Env,
		"ASSAY_DYNAMODB_ENDPOINT="+o.engines["DynamoDB"].URL, "ASSAY_S3_ENDPOINT="+o.engines["S3"].URL, "ASSAY_NATS_URL="+o.engines["NATS"].URL), env...)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer"))
	return o
}

// request is a request of an operation.
type request struct {
	url, contentType string
	identity.Request
	key string // Idempotency-Key; empty for none
}

// requests returns a request of each operation of both API documents, and further requests that need S3.
func (o *outages) requests(t *testing.T) map[string]request {
	t.Helper()
	all := map[string]request{}
	post := func(path, body, field string) string { return o.post(t, path, body, field) }
	for pattern, r := range identity.Requests(e2e.Callers(), o.owner, post) {
		all[pattern] = request{o.HTTP, "application/json", r, ""}
	}
	for pattern, r := range identity.OperatorRequests(e2e.Callers()) {
		all["operator "+pattern] = request{o.Operator, "application/json", r, ""}
	}
	form, formType := system.Form(`form-data; name="file"; filename="f.txt"`, "text/plain", "some words")
	all["a file in the body"] = request{o.HTTP, formType, identity.Request{Method: http.MethodPost, Path: "/v1/files", Body: form}, ""}
	all["a library file in the body"] = request{o.HTTP, formType, identity.Request{Method: http.MethodPost, Path: "/v1/library/files", Body: form}, ""}
	all["an item of the feed"] = request{o.HTTP, "application/json", identity.Request{Method: http.MethodPost, Path: "/v1/feed/items", Body: system.JSON(system.NewPosting("A good day.", "a"))}, ""}
	all["a wait"] = request{o.HTTP, "", identity.Request{Method: http.MethodGet, Path: all["GET /v1/files/{id}"].Path + "?wait=1s"}, ""}
	return all
}

// post creates an item, and returns a field of the response.
func (o *outages) post(t *testing.T, path, body, field string) string {
	t.Helper()
	resp, text := o.Ask(t, http.MethodPost, path, map[string]string{"X-Owner-Id": o.owner, "Content-Type": "application/json"}, body)
	var values map[string]any
	if system.Decode(t, text, &values); resp.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("POST %s: %d %s, want success", path, resp.StatusCode, text)
	}
	return values[field].(string)
}

// response is the response to a request.
type response struct {
	status int
	header http.Header
	body   string
	took   time.Duration
	err    error
}

// send sends the requests concurrently and returns the responses by name. It reads no live events.
func (o *outages) send(t *testing.T, requests map[string]request) map[string]response {
	t.Helper()
	var mu sync.Mutex
	responses, slots := map[string]response{}, make(chan struct{}, atOnce)
	var sending sync.WaitGroup
	for name, r := range requests {
		slots <- struct{}{}
		sending.Go(func() {
			defer func() { <-slots }()
			got := o.exchange(t, r)
			mu.Lock()
			defer mu.Unlock()
			responses[name] = got
		})
	}
	sending.Wait()
	return responses
}

func (o *outages) exchange(t *testing.T, r request) (got response) {
	req, err := http.NewRequestWithContext(t.Context(), r.Method, r.url+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return response{err: err}
	}
	if req.Header.Set("X-Owner-Id", o.owner); r.Body != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	began := time.Now()
	defer func() { got.took = time.Since(began) }()
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return response{err: err}
	}
	defer resp.Body.Close()
	got = response{status: resp.StatusCode, header: resp.Header}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		var text []byte
		text, got.err = io.ReadAll(resp.Body)
		got.body = string(text)
	}
	return got
}

// TestUnavailableEngines calls every operation in the API documents of all addresses while each engine refuses
// connections, and while it accepts them without a response. Each response arrives in time: that of the operation, or
// 503 with a Retry-After. Afterwards, all operations work again.
func TestUnavailableEngines(t *testing.T) {
	t.Parallel()
	o := startOutages(t)
	o.checkListed(t, o.requests(t))
	for _, outage := range []struct {
		engine string
		begin  func(*system.Relay)
		needed func(name string) bool // whether a request needs the engine
	}{
		{"DynamoDB", (*system.Relay).Refuse, needsTables}, {"DynamoDB", (*system.Relay).Silence, needsTables},
		{"S3", (*system.Relay).Refuse, needsObjects}, {"S3", (*system.Relay).Silence, needsObjects},
		{"NATS", (*system.Relay).Refuse, needsEvents}, {"NATS", (*system.Relay).Silence, needsEvents},
	} {
		requests := o.requests(t)
		deletes, reads := maps.Clone(requests), maps.Clone(requests)
		maps.DeleteFunc(requests, func(_ string, r request) bool { return r.Method == http.MethodDelete })
		maps.DeleteFunc(deletes, func(_ string, r request) bool { return r.Method != http.MethodDelete })
		maps.DeleteFunc(reads, func(_ string, r request) bool { return r.Method != http.MethodGet })
		usual := o.send(t, reads)
		relay := o.engines[outage.engine]
		outage.begin(relay)
		if outage.engine == "NATS" {
			o.forgetQueues(t, requests)
		}
		responses := o.send(t, requests)
		maps.Copy(responses, o.send(t, deletes)) // last, because other requests need the items
		relay.Restore()
		for _, name := range slices.Sorted(maps.Keys(responses)) {
			got := responses[name]
			if err := checkOutage(got); err != nil {
				t.Errorf("%s unavailable, %s: %v", outage.engine, name, err)
			}
			if got.status != http.StatusServiceUnavailable && outage.needed(name) {
				t.Errorf("%s unavailable, %s: %d %s, want 503", outage.engine, name, got.status, got.body)
			}
		}
		o.recovered(t, reads, usual)
	}
}

// forgetQueues waits until the reservations of uploads are rejected. They need only the length of the queue, which may be
// a second old.
func (o *outages) forgetQueues(t *testing.T, requests map[string]request) {
	t.Helper()
	for _, name := range []string{"POST /v1/files", "POST /v1/photos"} {
		system.Eventually(t, func() error {
			if got := o.exchange(t, requests[name]); got.status != http.StatusServiceUnavailable {
				return fmt.Errorf("NATS unavailable, %s: %d %s, want 503", name, got.status, got.body)
			}
			return nil
		})
	}
}

// checkOutage returns an error unless a response during an outage is complete, in time, and either not a server error
// or 503 with a Retry-After.
func checkOutage(got response) error {
	seconds, _ := strconv.Atoi(got.header.Get("Retry-After"))
	switch {
	case got.err != nil:
		return got.err
	case got.took > answerTime:
		return fmt.Errorf("%d after %s, want a response within %s", got.status, got.took, answerTime)
	case got.status == http.StatusServiceUnavailable && (seconds < 1 || !strings.Contains(got.body, `"urn:assay:problem:unavailable"`)):
		return fmt.Errorf("503 %v %s, want the problem unavailable with a Retry-After", got.header, got.body)
	case got.status >= http.StatusInternalServerError && got.status != http.StatusServiceUnavailable:
		return fmt.Errorf("%d %s, want 503", got.status, got.body)
	}
	return nil
}

// recovered waits until the responses to reads are as before the outage, or without a server error.
func (o *outages) recovered(t *testing.T, reads map[string]request, usual map[string]response) {
	t.Helper()
	left := maps.Clone(reads)
	system.Eventually(t, func() error {
		for name, got := range o.send(t, left) {
			if got.err == nil && (got.status < http.StatusInternalServerError || got.status == usual[name].status) {
				delete(left, name)
			}
		}
		if len(left) > 0 {
			return fmt.Errorf("%v fail after the outage, want them to work again", slices.Sorted(maps.Keys(left)))
		}
		return nil
	})
}

// checkListed checks that requests contains every operation of the API documents.
func (o *outages) checkListed(t *testing.T, requests map[string]request) {
	t.Helper()
	for prefix, address := range map[string]string{"": o.HTTP, "operator ": o.Operator} {
		_, text := system.Get(t, address+"/openapi.json")
		var document struct{ Paths map[string]map[string]any }
		system.Decode(t, text, &document)
		for path, methods := range document.Paths {
			for method := range methods {
				if name := prefix + strings.ToUpper(method) + " " + path; requests[name].Method == "" {
					t.Errorf("there is no request for %s, want one for each operation", name)
				}
			}
		}
	}
}

// withoutTables lists the requests that do not need DynamoDB: they read events or the search index, the caller is not
// authenticated, or they are rejected before. A sweep waits for DynamoDB in the background.
var withoutTables = []string{
	"GET /v1/session", "POST /v1/session", "DELETE /v1/session", "GET /v1/session/start", "GET /v1/session/callback", "GET /v1/me",
	"GET /v1/events", "GET /v1/feed/events", "POST /v1/feed/items",
	"GET /v1/library/nodes/public", "GET /v1/library/nodes/shared", "GET /v1/library/search", "GET /v1/search",
	"operator GET /v1/dead", "operator GET /v1/dead/{sequence}", "operator DELETE /v1/dead/{sequence}", "operator POST /v1/dead/replay", "operator POST /v1/dead/drop",
	"operator GET /v1/audit", "operator GET /v1/events", "operator GET /v1/status", "operator GET /v1/status/items", "operator POST /v1/sweeps",
	"operator GET /v1/library/files", "operator GET /v1/library/workflows", "operator GET /v1/photos",
	"GET /v1/photos/{id}/{file}", "POST /v1/photos/explain", // a name that is no rendition; no item is read
	"operator GET /v1/photo-providers/{name}", "operator PUT /v1/photo-providers/{name}",
}

func needsTables(name string) bool { return !slices.Contains(withoutTables, name) }

func needsObjects(name string) bool {
	return slices.Contains([]string{
		"a file in the body", "a library file in the body", "an item of the feed",
		"POST /v1/files/{id}/uploaded", "POST /v1/library/files/{id}/uploaded", "DELETE /v1/files/{id}", "DELETE /v1/photos/{id}", "DELETE /v1/photo-batches/{id}",
		"operator DELETE /v1/feed/items/{sourceId}", "POST /v1/items/{area}/{id}/send",
	}, name)
}

func needsEvents(name string) bool {
	return slices.Contains([]string{
		"a file in the body", "a library file in the body", "an item of the feed", "POST /v1/files", "POST /v1/photos", "POST /v1/library/pages",
		"operator GET /v1/audit", "operator GET /v1/dead", "operator POST /v1/dead/replay", "operator POST /v1/feed/reanalyze",
	}, name)
}
