package ui_test

import (
	"mime"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/ui"
)

// get sends a request to a router that has only the page.
func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	router := web.NewRouter(web.Options{})
	ui.Routes(router)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
	if len(header) == 2 {
		req.Header.Set(header[0], header[1])
	}
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, req)
	return answer.Result()
}

func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	var b strings.Builder
	if err := resp.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), "\r\n\r\n")
	return text
}

var loads = regexp.MustCompile(`(?:href|src)="(/ui/[^"]+)"|from '\./([^']+)'`)

// loaded returns the page and all that it loads, by their paths.
func loaded(t *testing.T) map[string]string {
	t.Helper()
	found, look := map[string]string{}, []string{"/"}
	for len(look) > 0 {
		path := look[0]
		look = look[1:]
		if _, seen := found[path]; seen {
			continue
		}
		resp := get(t, path)
		if found[path] = body(t, resp); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d", path, resp.StatusCode)
		}
		for _, match := range loads.FindAllStringSubmatch(found[path], -1) {
			if match[2] != "" {
				match[1] = "/ui/" + match[2]
			}
			look = append(look, match[1])
		}
	}
	return found
}

// TestPageIsServedWithItsHeaders: each file has its type and a policy that lets
// nothing run or load that is not the page's own.
func TestPageIsServedWithItsHeaders(t *testing.T) {
	types := map[string]string{}
	for path := range loaded(t) {
		resp := get(t, path)
		kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		types[kind] = path
		policy := strings.Split(resp.Header.Get("Content-Security-Policy"), "; ")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			if !slices.Contains(policy, want) {
				t.Errorf("%s: the policy %v lacks %s", path, policy, want)
			}
		}
		if strings.Contains(strings.Join(policy, " "), "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, resp.Header)
		}
		if again := get(t, path, "If-None-Match", resp.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s unchanged: %d", path, again.StatusCode)
		}
	}
	for _, kind := range []string{"text/html", "text/css", "text/javascript", "image/svg+xml"} {
		if types[kind] == "" {
			t.Errorf("no response is %s: %v", kind, types)
		}
	}
	for _, path := range []string{"/ui/none.js", "/ui/ui.go", "/ui/..%2fui.go", "/ui/", "/index.html"} {
		if resp := get(t, path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}

var (
	// markup are the ways by which a text could become markup or code.
	markup = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc|\beval\(|new Function|javascript:`)
	// inline matches code that the policy would block.
	inline    = regexp.MustCompile(`<script>|<style|\sstyle="|\son[a-z]+="`)
	elsewhere = regexp.MustCompile(`(?:href|src)="(?:https?:)?//|@import|url\(`)
)

func TestPageSetsTextOnly(t *testing.T) {
	for path, content := range loaded(t) {
		for _, wrong := range []*regexp.Regexp{markup, inline, elsewhere} {
			if found := wrong.FindString(content); found != "" {
				t.Errorf("%s has %q", path, found)
			}
		}
	}
}

// TestPageNamesWhatItUses: every id that a script looks for is on the page, and
// every control has a label.
func TestPageNamesWhatItUses(t *testing.T) {
	all := loaded(t)
	page := all["/"]
	for path, content := range all {
		for _, match := range regexp.MustCompile(`byId\('([^']+)'\)`).FindAllStringSubmatch(content, -1) {
			if !strings.Contains(page, `id="`+match[1]+`"`) {
				t.Errorf("%s uses %s, which is not on the page", path, match[1])
			}
		}
	}
	labelled := regexp.MustCompile(`(?s)<label[^>]*>.*?</label>`).FindAllString(page, -1)
	for _, control := range regexp.MustCompile(`<(?:select|input) id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !slices.ContainsFunc(labelled, func(l string) bool {
			return strings.Contains(l, `for="`+control[1]+`"`) || strings.Contains(l, `id="`+control[1]+`"`)
		}) {
			t.Errorf("%s has no label", control[1])
		}
	}
	for _, match := range regexp.MustCompile(`aria-labelledby="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		for id := range strings.FieldsSeq(match[1]) {
			if !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("a label is %s, which is not on the page", id)
			}
		}
	}
}
