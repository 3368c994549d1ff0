package operation

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	scriptName = regexp.MustCompile(`[\w-]+-[A-Z0-9]{8}\.js`)
	callPath   = regexp.MustCompile("[\"'`](/v1/[^\"'`?]*)")
	parameter  = regexp.MustCompile(`\$?\{[^{}]*\}`)
)

// pageCallsTheAPI: the address of the API serves the web app, and every API path in the scripts of the app is in the API
// document.
func pageCallsTheAPI(t *testing.T, s system.System) {
	resp, page := s.Ask(t, http.MethodGet, "/", nil, "")
	if resp.StatusCode != http.StatusOK || !strings.Contains(page, "<title>Assay</title>") || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("GET / returned %d %v, want 200, the app and a content security policy", resp.StatusCode, resp.Header)
	}
	var document struct{ Paths map[string]map[string]any }
	if err := s.GetJSON(system.Within(t), "/openapi.json", &document); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for path := range document.Paths {
		described[parameter.ReplaceAllString(path, "{}")] = true
	}
	seen := map[string]bool{}
	for name, script := range scripts(t, s, page) {
		for _, match := range callPath.FindAllStringSubmatch(script, -1) {
			path := parameter.ReplaceAllString(match[1], "{}")
			seen[path] = true
			// The constant part of a path that a script assembles is a prefix of a path in the document.
			path, _, _ = strings.Cut(path, "${")
			path = strings.TrimSuffix(path, "/")
			if !described[path] && !slices.ContainsFunc(slices.Collect(maps.Keys(described)), func(known string) bool { return strings.HasPrefix(known, path+"/") }) {
				t.Errorf("%s calls %s, which is not in the document", name, match[1])
			}
		}
	}
	for _, path := range []string{"/v1/feed/summary", "/v1/feed/series", "/v1/feed/items", "/v1/feed/events", "/v1/events", "/v1/files", "/v1/photos/{}", "/v1/library/nodes/{}"} {
		if !seen[path] {
			t.Errorf("the app does not call %s", path)
		}
	}
}

// scripts returns the scripts of the page by name, including those that are loaded later.
func scripts(t *testing.T, s system.System, page string) map[string]string {
	t.Helper()
	found, next := map[string]string{}, scriptName.FindAllString(page, -1)
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if _, known := found[name]; known {
			continue
		}
		resp, script := s.Ask(t, http.MethodGet, "/ui/"+name, nil, "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("GET /ui/%s returned %s, want 200", name, resp.Status)
		}
		found[name] = script
		next = append(next, scriptName.FindAllString(script, -1)...)
	}
	if len(found) == 0 {
		t.Fatal("the page loads no scripts")
	}
	return found
}
