package identity

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// checkRejectedFirst checks that a caller without a valid credential gets 401 for wrong ids, parameters and bodies too: it
// learns nothing about what the operation accepts.
func (w *world) checkRejectedFirst(t *testing.T, pattern string, op Operation) {
	t.Helper()
	malformed := op
	malformed.Names = map[string]string{}
	for name, value := range op.Names {
		malformed.Names[name] = value
		if _, item := w.items[value]; !item {
			malformed.Names[name] = "wrong"
		}
	}
	wrong := map[string]string{}
	for name := range w.items {
		wrong[name] = "wrong"
	}
	for _, ids := range []map[string]string{w.items, w.unknown, wrong} {
		method, right, body := w.requested(pattern, op, ids)
		_, bad, _ := w.requested(pattern, malformed, ids)
		unknown, separator := right, "?"
		if strings.Contains(unknown, "?") {
			separator = "&"
		}
		for _, at := range []string{right, bad, unknown + separator + "wrong=1", unknown + separator + "limit=x"} {
			for _, sent := range slices.Compact([]string{body, "{", `{"wrong":1}`}) {
				if method == http.MethodGet && sent != body {
					continue
				}
				for _, token := range []string{"", "assay_forged"} {
					if got, text := w.ask(t, token, method, at, sent); got != http.StatusUnauthorized {
						t.Errorf("%s %s with the body %q and the credential %q: %d %s, want 401", method, at, sent, token, got, text)
					}
				}
			}
		}
	}
}

// checkOrigins checks that a write from a page with another scheme, host or port is rejected, also by browsers that do not
// send Sec-Fetch-Site.
func (w *world) checkOrigins(t *testing.T, method, address, body string) {
	t.Helper()
	if method == http.MethodGet {
		return
	}
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	origins := map[string]string{
		"scheme": "https://" + at.Host, "host": "http://evil.example:" + at.Port(), "port": "http://" + at.Hostname() + ":1", "no origin": "null",
	}
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		req, err := http.NewRequestWithContext(system.Within(t), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.operator)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", origins[name])
		if resp, text := w.send(t, req); resp.StatusCode != http.StatusForbidden || !strings.Contains(text, "urn:assay:problem:cross-origin") {
			t.Errorf("%s %s from a page with another %s: %d %s, want 403 cross-origin", method, address, name, resp.StatusCode, text)
		}
	}
}
