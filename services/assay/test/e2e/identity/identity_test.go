package identity

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"

	"github.com/assay-project/assay/pkg/identity/oidctest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// marker is in the names of all items of anna, and in nothing of the others.
const marker = "annas-secret"

// world is a system with credentials required, on services with the permissions of deploy/iam.
type world struct {
	system.System
	provider                  *oidctest.Provider
	programs                  []*system.Program
	analyzer                  string            // its address for operators
	operator, anna, read, bob string            // tokens
	items, unknown            map[string]string // ids by name: anna's, and ones that nobody has
	annasOwner, bobID         string
}

var keyPattern = regexp.MustCompile(`assay_[a-z2-7]{16}_[a-z2-7]{52}`)

func start(t *testing.T) *world {
	t.Helper()
	p := oidctest.New(t)
	g := system.NewGuard(t)
	c := g.Start(t, "ASSAY_AUTH=token", "ASSAY_OIDC_ISSUER="+p.Issuer(), "ASSAY_OIDC_CLIENT_ID="+p.ClientID, "ASSAY_OIDC_CLIENT_SECRET="+p.ClientSecret)
	first := system.Launch(t, "assay", c.Environment("setup"), "setup", "--operator-key")
	if status := first.End(t); status != 0 {
		t.Fatalf("assay setup has the exit status %d: %s", status, first.Output)
	}
	ingest, query, analyzer := c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer")
	c.Front(t, ingest, query, analyzer)
	w := &world{
		System: c.System, provider: p, programs: []*system.Program{ingest.Program, query.Program, analyzer.Program}, analyzer: analyzer.Operator,
		operator: keyPattern.FindString(first.Output.String()), annasOwner: "anna-" + uuid.NewString(), bobID: "bob",
	}
	w.anna = w.key(t, `{"owner":"`+w.annasOwner+`"}`)
	w.read = w.key(t, `{"owner":"`+w.annasOwner+`","scopes":["read"]}`)
	w.bob = w.key(t, `{"owner":"bob"}`)
	return w
}

// key creates an API key.
func (w *world) key(t *testing.T, terms string) string {
	t.Helper()
	status, body := w.ask(t, w.operator, http.MethodPost, w.Operator+"/v1/keys", terms)
	var made struct{ Token string }
	if status != http.StatusCreated || json.Unmarshal([]byte(body), &made) != nil {
		t.Fatalf("a key: %d %s", status, body)
	}
	return made.Token
}

// ask sends a request with a token, if it is not empty, and returns the response as text: its headers and, except for
// live events, its body.
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
	resp, err := system.Checked(&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return resp, string(text)
}

// made returns a field of the response to a request of anna that creates something.
func (w *world) made(t *testing.T, path, body, field string) string {
	t.Helper()
	status, text := w.ask(t, w.anna, http.MethodPost, w.HTTP+path, body)
	var values map[string]any
	if status >= 300 || json.Unmarshal([]byte(text), &values) != nil {
		t.Fatalf("%s: %d %s", path, status, text)
	}
	id, _ := values[field].(string)
	if id == "" {
		t.Fatalf("%s: no %s in %s", path, field, text)
	}
	return id
}

// fill creates anna's items.
func (w *world) fill(t *testing.T) {
	t.Helper()
	name := func(ending string) string { return fmt.Sprintf("%s%s", marker, ending) }
	folder := w.made(t, "/v1/library/folders", `{"name":"`+name("-folder")+`"}`, "id")
	node := w.made(t, "/v1/library/files", `{"name":"`+name(".txt")+`","size":3,"parentId":"`+folder+`"}`, "id")
	w.items = map[string]string{
		"owner": w.annasOwner, "folder": folder, "node": node,
		"file":  w.made(t, "/v1/files", `{"fileName":"`+name(".txt")+`","size":3}`, "fileId"),
		"photo": w.made(t, "/v1/photos", `{"fileName":"`+name(".png")+`","size":100,"contentType":"image/png"}`, "jobId"),
		"batch": w.made(t, "/v1/photo-batches", `{"photos":[{"fileName":"`+name(".png")+`","size":100,"contentType":"image/png"}]}`, "batchId"),
		"link":  w.made(t, "/v1/library/nodes/"+folder+"/links", `{"expiresIn":"1h"}`, "token"),
	}
	w.unknown = map[string]string{
		"owner": "nobody-" + uuid.NewString(), "folder": uuid.NewString(), "node": uuid.NewString(), "file": uuid.Must(uuid.NewV7()).String(),
		"photo": ulid.Make().String(), "batch": ulid.Make().String(), "link": w.items["link"],
	}
}

// documented returns the operations of a server.
func (w *world) documented(t *testing.T, address string) []string {
	t.Helper()
	_, text := w.ask(t, "", http.MethodGet, address+"/openapi.json", "")
	var document struct{ Paths map[string]map[string]any }
	system.Decode(t, text, &document)
	var all []string
	for path, methods := range document.Paths {
		for method := range methods {
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

// request returns URL and body of an operation with ids.
func (w *world) request(pattern string, op operation, ids map[string]string) (method, url, body string) {
	method, path, _ := strings.Cut(pattern, " ")
	area := map[string]string{"files": "file", "photos": "photo", "photo-batches": "batch", "library": "node"}[strings.Split(path, "/")[2]]
	fill := func(text string) string {
		for parameter, value := range op.names {
			if id, item := ids[value]; item {
				value = id
			}
			text = strings.ReplaceAll(text, "{"+parameter+"}", value)
		}
		text = strings.NewReplacer("{id}", ids[area], "{ownerId}", ids["owner"], "{token}", ids["link"], "{sourceId}", "rss%23nothing").Replace(text)
		for name, id := range ids {
			text = strings.ReplaceAll(text, "{"+name+"}", id)
		}
		return text
	}
	url = w.HTTP + fill(path)
	if op.query != "" {
		url += "?" + fill(op.query)
	}
	return method, url, fill(op.body)
}

// TestEveryOperationChecksItsCaller walks the documents of all addresses with anna's items, and with the credentials
// of another owner, of nobody, of anna for reads only, and of an operator.
func TestEveryOperationChecksItsCaller(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.fill(t)
	listed := map[string]operation{}
	for pattern, op := range operations {
		listed[strings.NewReplacer("{owner}", "{ownerId}", "{link}", "{token}").Replace(pattern)] = op
	}
	found := w.documented(t, w.HTTP)
	for _, pattern := range found {
		op, known := listed[pattern]
		if !known {
			t.Errorf("%s is not in the list of operations: add it with whom it serves", pattern)
			continue
		}
		t.Run(pattern, func(t *testing.T) { w.check(t, pattern, op) })
	}
	for pattern := range listed {
		if !slices.Contains(found, pattern) {
			t.Errorf("%s is listed, and not in the document", pattern)
		}
	}
	w.checkOperators(t)
	w.checkNothingLost(t)
	w.checkLogs(t)
}

func (w *world) check(t *testing.T, pattern string, op operation) {
	method, url, body := w.request(pattern, op, w.items)
	status := func(token string) int {
		got, text := w.ask(t, token, method, url, body)
		if token != w.anna && token != w.read && op.kind != linked {
			w.tellsNothing(t, text)
		}
		return got
	}
	switch op.kind {
	case public:
		if got := status("assay_forged"); got == http.StatusForbidden || got == http.StatusUnauthorized && pattern != "POST /v1/session" {
			t.Errorf("with a forged credential, which is not looked at: %d", got)
		}
		return
	case linked:
		if got := status(""); got != http.StatusOK {
			t.Errorf("without a credential: %d", got)
		}
	default:
		if got := status(""); got != http.StatusUnauthorized {
			t.Errorf("without a credential: %d", got)
		}
	}
	if got := status("assay_forged"); got != http.StatusUnauthorized {
		t.Errorf("with a forged key: %d", got)
	}
	if method != http.MethodGet {
		if got := status(w.read); got != http.StatusForbidden {
			t.Errorf("with the scope read: %d", got)
		}
	} else if got := status(w.read); got == http.StatusUnauthorized || got == http.StatusForbidden || got == http.StatusNotFound && !op.absent {
		t.Errorf("with the scope read: %d", got)
	}
	for name, stranger := range map[string]string{"another owner": w.bob, "an operator": w.operator} {
		if op.kind == own {
			w.checkHidden(t, pattern, op, name, stranger)
		} else if got := status(stranger); got == http.StatusUnauthorized || got == http.StatusForbidden || got == http.StatusNotFound && !op.absent {
			t.Errorf("with the credential of %s: %d", name, got)
		}
	}
}

// checkHidden checks that a stranger gets the same response about an item of anna as about one that nobody has.
func (w *world) checkHidden(t *testing.T, pattern string, op operation, name, stranger string) {
	t.Helper()
	var shown [2]string
	for i, ids := range []map[string]string{w.items, w.unknown} {
		method, url, body := w.request(pattern, op, ids)
		resp, text := w.exchange(t, stranger, method, url, body)
		var p system.Problem
		if text != "" {
			system.Decode(t, text, &p)
		}
		shown[i] = fmt.Sprint(resp.StatusCode, p.Type, p.Title, p.Detail, p.Errors)
		if want := map[bool]int{true: http.StatusNoContent, false: http.StatusNotFound}[op.silent]; resp.StatusCode != want && !(op.silent && resp.StatusCode == http.StatusNotFound) {
			t.Errorf("with the credential of %s: %d, want %d: %s", name, resp.StatusCode, want, text)
		}
		w.tellsNothing(t, text)
	}
	if shown[0] != shown[1] {
		t.Errorf("%s can tell anna's item from none: %q and %q", name, shown[0], shown[1])
	}
}

// tellsNothing checks that a text for a stranger has nothing of anna's.
func (w *world) tellsNothing(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{marker, w.annasOwner} {
		if strings.Contains(text, secret) {
			t.Errorf("a stranger is shown %q: %s", secret, text)
		}
	}
}

func (w *world) checkOperators(t *testing.T) {
	t.Helper()
	var found []string
	for _, address := range []string{w.Operator, w.analyzer} { // of the gateway, and directly
		for _, pattern := range w.documented(t, address) {
			found = append(found, pattern)
			if !slices.Contains(operatorOperations, pattern) {
				t.Errorf("%s is not in the list of operators' operations: add it", pattern)
			}
			method, path, _ := strings.Cut(pattern, " ")
			url := address + regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "1")
			for name, caller := range map[string]struct {
				token string
				want  int
			}{
				"nobody": {"", http.StatusUnauthorized}, "a forged key": {"assay_forged", http.StatusUnauthorized},
				"anna": {w.anna, http.StatusForbidden}, "anna for reads": {w.read, http.StatusForbidden},
			} {
				status, text := w.ask(t, caller.token, method, url, "")
				if w.tellsNothing(t, text); status != caller.want {
					t.Errorf("%s of an operator, with the credential of %s: %d, want %d", pattern, name, status, caller.want)
				}
			}
			if method != http.MethodGet {
				continue // reads are proven here; writes by the tests of the operator's commands
			}
			if status, text := w.ask(t, w.operator, method, url, ""); status == http.StatusUnauthorized || status == http.StatusForbidden {
				t.Errorf("%s with the credential of an operator: %d %s", pattern, status, text)
			}
		}
	}
	for _, pattern := range operatorOperations {
		if !slices.Contains(found, pattern) {
			t.Errorf("%s is listed, and in no document", pattern)
		}
	}
}

// checkNothingLost checks that no stranger has changed or deleted an item of anna.
func (w *world) checkNothingLost(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/v1/files/{file}", "/v1/photos/{photo}", "/v1/photo-batches/{batch}", "/v1/library/nodes/{node}", "/v1/library/nodes/{folder}"} {
		for name, id := range w.items {
			path = strings.ReplaceAll(path, "{"+name+"}", id)
		}
		status, text := w.ask(t, w.anna, http.MethodGet, w.HTTP+path, "")
		if status != http.StatusOK || strings.Contains(text, `"trashed":true`) || strings.Contains(text, "CANCELLED") {
			t.Errorf("%s afterwards: %d %s", path, status, text)
		}
	}
}

// checkLogs checks that no log has a name, an owner or a credential.
func (w *world) checkLogs(t *testing.T) {
	t.Helper()
	for _, p := range w.programs {
		written := p.Written()
		for _, secret := range []string{marker, w.annasOwner, w.anna, w.bob, w.operator} {
			if strings.Contains(written, secret) {
				t.Errorf("a log has %q", secret)
			}
		}
	}
}
