package identity

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/identity/oidctest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// marker is contained in the names of all items of anna, and in no item of another owner.
const marker = "annas-secret"

// world is a system that requires credentials, with services that have the permissions of deploy/iam.
type world struct {
	system.System
	Area                      // the operations of all areas
	provider                  *oidctest.Provider
	ingest, query, analyzer   *system.Service
	operator, anna, read, bob string            // tokens
	items, unknown            map[string]string // ids by name: of anna's items, and of missing items
	annasOwner                string
}

var keyPattern = regexp.MustCompile(`assay_([a-z2-7]{16})_[a-z2-7]{52}`)

func open(t *testing.T, start system.Starter, areas []Area) *world {
	t.Helper()
	p := oidctest.New(t)
	c := start(t, "ASSAY_AUTH=token", "ASSAY_OIDC_ISSUER="+p.Issuer(), "ASSAY_OIDC_CLIENT_ID="+p.ClientID, "ASSAY_OIDC_CLIENT_SECRET="+p.ClientSecret)
	first := system.Launch(t, "assay", c.Environment("setup"), "setup", "--operator-key")
	if status := first.End(t); status != 0 {
		t.Fatalf("assay setup: exit status %d, want 0: %s", status, first.Output)
	}
	ingest, query, analyzer := c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer")
	c.Front(t, ingest, query, analyzer)
	w := &world{
		System: c.System, Area: join(areas), provider: p, ingest: ingest, query: query, analyzer: analyzer,
		operator: keyPattern.FindString(first.Output.String()), annasOwner: "anna-" + uuid.NewString(),
	}
	w.anna = w.key(t, `{"owner":"`+w.annasOwner+`"}`)
	w.read = w.key(t, `{"owner":"`+w.annasOwner+`","scopes":["read"]}`)
	w.bob = w.key(t, `{"owner":"bob"}`)
	return w
}

// key creates an API key and returns its token.
func (w *world) key(t *testing.T, terms string) string {
	t.Helper()
	status, body := w.ask(t, w.operator, http.MethodPost, w.Operator+"/v1/keys", terms)
	var made struct{ Token string }
	if status != http.StatusCreated || json.Unmarshal([]byte(body), &made) != nil {
		t.Fatalf("creating a key returned %d, want 201: %s", status, body)
	}
	return made.Token
}

// ask sends a request, with a token unless it is empty, and returns the status of the response and, except for live
// events, its body.
func (w *world) ask(t *testing.T, token, method, url, body string) (int, string) {
	t.Helper()
	resp, text := w.exchange(t, token, method, url, body)
	return resp.StatusCode, text
}

func (w *world) exchange(t *testing.T, token, method, url, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return w.send(t, req)
}

// send sends a request, and returns the response and, except for live events, its body.
func (w *world) send(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := system.Patient(&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	return resp, string(text)
}

// made creates an item as anna and returns a field of the response.
func (w *world) made(t *testing.T, path, body, field string) string {
	t.Helper()
	status, text := w.ask(t, w.anna, http.MethodPost, w.HTTP+path, body)
	var values map[string]any
	if status >= 300 || json.Unmarshal([]byte(text), &values) != nil {
		t.Fatalf("POST %s returned %d, want success with a JSON object: %s", path, status, text)
	}
	id, _ := values[field].(string)
	if id == "" {
		t.Fatalf("POST %s returned no %s: %s", path, field, text)
	}
	return id
}

// fill creates anna's items.
func (w *world) fill(t *testing.T) {
	t.Helper()
	w.items = w.create(marker, func(path, body, field string) string { return w.made(t, path, body, field) })
	w.unknown = maps.Clone(w.items)
	for _, item := range w.Items {
		if item.Unknown != nil {
			w.unknown[item.Name] = item.Unknown()
		}
	}
	w.items["owner"], w.unknown["owner"] = w.annasOwner, "nobody-"+uuid.NewString()
}

// documented returns the ids of the operations in the API document of a server, by method and path.
func (w *world) documented(t *testing.T, address string) map[string]string {
	t.Helper()
	_, text := w.ask(t, "", http.MethodGet, address+"/openapi.json", "")
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	system.Decode(t, text, &document)
	all := map[string]string{}
	for path, methods := range document.Paths {
		for method, op := range methods {
			all[strings.ToUpper(method)+" "+path] = op.OperationID
		}
	}
	return all
}

// requested returns the method, URL and body of an operation, with the ids inserted.
func (w *world) requested(pattern string, op Operation, ids map[string]string) (method, url, body string) {
	r := w.request(pattern, op, ids)
	return r.Method, w.HTTP + r.Path, r.Body
}
