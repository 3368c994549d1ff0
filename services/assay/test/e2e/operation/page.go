package operation

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// pageCallsTheAPI: the address of the API serves the page, and every call of
// the page is in the API's document.
func pageCallsTheAPI(t *testing.T, s system.System) {
	resp, page := s.Ask(t, http.MethodGet, "/", nil, "")
	if resp.StatusCode != http.StatusOK || !strings.Contains(page, "<title>Assay</title>") || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("the page: %d %v", resp.StatusCode, resp.Header)
	}
	var document struct{ Paths map[string]map[string]any }
	if err := s.GetJSON(system.Within(t), "/openapi.json", &document); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	calls := regexp.MustCompile(`\['(GET|POST|PUT|DELETE)', '([^']+)'\]`)
	for _, match := range regexp.MustCompile(`src="(/ui/[^"]+\.js)"`).FindAllStringSubmatch(page+`src="/ui/api.js" src="/ui/page.js" src="/ui/chart.js"`, -1) {
		resp, script := s.Ask(t, http.MethodGet, match[1], nil, "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d", match[1], resp.StatusCode)
		}
		for _, call := range calls.FindAllStringSubmatch(script, -1) {
			seen[call[2]] = true
			if document.Paths[call[2]][strings.ToLower(call[1])] == nil {
				t.Errorf("the page calls %s %s, which is not in the document", call[1], call[2])
			}
		}
		// All calls are in the list of calls.
		if rest := calls.ReplaceAllString(script, ""); strings.Contains(rest, "/v1/") {
			t.Errorf("%s has a path outside of its calls", match[1])
		}
	}
	for _, path := range []string{"/v1/feed/summary", "/v1/feed/series", "/v1/feed/items", "/v1/feed/events", "/v1/events", "/v1/files"} {
		if !seen[path] {
			t.Errorf("the page does not call %s", path)
		}
	}
}
