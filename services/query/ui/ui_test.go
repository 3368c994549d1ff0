package ui_test

import (
	"bytes"
	"compress/gzip"
	"io"
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

const bucket = "https://files.s3.example.com"

// get sends a request to a router that has only the app.
func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	router := web.NewRouter(web.Options{})
	ui.Routes(router, bucket)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
	if len(header) == 2 {
		req.Header.Set(header[0], header[1])
	}
	response := httptest.NewRecorder()
	router.ServeHTTP(response, req)
	return response.Result()
}

func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var (
	loads   = regexp.MustCompile(`(?:href|src)="(/ui/[^"]+)"`)
	imports = regexp.MustCompile(`"\./([\w-]+\.js)"`)
)

// loaded returns the page and everything that it may load, by path. first contains only the scripts and style sheets that
// are loaded before the page is shown.
func loaded(t *testing.T) (all, first map[string]string) {
	t.Helper()
	page := body(t, get(t, "/"))
	all, first = map[string]string{"/": page}, map[string]string{}
	var look []string
	for _, match := range loads.FindAllStringSubmatch(page, -1) {
		look = append(look, match[1])
		if strings.HasSuffix(match[1], ".js") || strings.HasSuffix(match[1], ".css") {
			first[match[1]] = ""
		}
	}
	for len(look) > 0 {
		path := look[0]
		look = look[1:]
		if _, seen := all[path]; seen {
			continue
		}
		resp := get(t, path)
		if all[path] = body(t, resp); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: got status %d, want 200", path, resp.StatusCode)
		}
		if _, ok := first[path]; ok {
			first[path] = all[path]
		}
		for _, match := range imports.FindAllStringSubmatch(all[path], -1) {
			look = append(look, "/ui/"+match[1])
		}
	}
	return all, first
}

// TestFilesAreServedWithTheirHeaders checks that each file has its media type and a policy that allows only the app's
// own scripts and files. The pages may only send requests to the bucket and show its images.
func TestFilesAreServedWithTheirHeaders(t *testing.T) {
	all, _ := loaded(t)
	types := map[string]string{}
	for path := range all {
		resp := get(t, path)
		kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		if err != nil {
			t.Errorf("%s: parse the media type: %v", path, err)
		}
		types[kind] = path
		policy := strings.Split(resp.Header.Get("Content-Security-Policy"), "; ")
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src blob: 'self' " + bucket, "connect-src 'self' " + bucket, "frame-src 'self'",
			"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		} {
			if !slices.Contains(policy, want) {
				t.Errorf("%s: got policy %q, want it to contain %s", path, policy, want)
			}
		}
		if strings.Contains(strings.Join(policy, " "), "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: got headers %v, want a safe policy, nosniff and no-referrer", path, resp.Header)
		}
		hashed := kind == "text/javascript" || kind == "text/css"
		if immutable := strings.Contains(resp.Header.Get("Cache-Control"), "immutable"); immutable != hashed {
			t.Errorf("%s: got Cache-Control %s, want immutable %t", path, resp.Header.Get("Cache-Control"), hashed)
		}
		if again := get(t, path, "If-None-Match", resp.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s unchanged: got status %d, want 304", path, again.StatusCode)
		}
	}
	for _, kind := range []string{"text/html", "text/css", "text/javascript", "image/svg+xml"} {
		if types[kind] == "" {
			t.Errorf("got the media types %v, want also %s", types, kind)
		}
	}
	for _, path := range []string{"/ui/none.js", "/ui/ui.go", "/ui/..%2fui.go", "/ui/", "/index.html", "/files/a/b", "/operations"} {
		if resp := get(t, path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, resp.StatusCode)
		}
	}
}

// TestPagesShareOneHTMLFile checks that every page of the app has the same HTML, so that links are permanent.
func TestPagesShareOneHTMLFile(t *testing.T) {
	page := body(t, get(t, "/"))
	for _, pattern := range ui.Patterns() {
		path := strings.NewReplacer("GET ", "", "{$}", "", "{id}", "01a2").Replace(pattern)
		if strings.HasPrefix(path, "/ui/") {
			continue
		}
		if resp := get(t, path); resp.StatusCode != http.StatusOK || body(t, resp) != page {
			t.Errorf("%s: got status %d or another page, want 200 and the HTML of /", path, resp.StatusCode)
		}
	}
}

// TestBrowsersGetThePageForUnknownAddresses checks that a browser gets the app, with status 404, where another client gets a
// problem.
func TestBrowsersGetThePageForUnknownAddresses(t *testing.T) {
	page := body(t, get(t, "/"))
	for _, path := range []string{"/nope", "/library/a/b"} {
		browser := get(t, path, "Accept", "text/html,application/xhtml+xml;q=0.9")
		if browser.StatusCode != http.StatusNotFound || body(t, browser) != page || browser.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s in a browser: got status %d and headers %v, want 404, the HTML of / and its policy", path, browser.StatusCode, browser.Header)
		}
		if other := get(t, path, "Accept", "application/json"); other.StatusCode != http.StatusNotFound || other.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s in another client: got status %d and type %s, want a problem with 404", path, other.StatusCode, other.Header.Get("Content-Type"))
		}
	}
}

// TestFilesAreCompressed checks the gzip variant, which has its own entity tag, and clients that do not accept it.
func TestFilesAreCompressed(t *testing.T) {
	all, _ := loaded(t)
	for path, plain := range all {
		resp := get(t, path, "Accept-Encoding", "br, gzip;q=0.8")
		if resp.Header.Get("Content-Encoding") != "gzip" || resp.Header.Get("Vary") != "Accept-Encoding" || resp.Header.Get("ETag") == get(t, path).Header.Get("ETag") {
			t.Errorf("%s: got headers %v, want gzip, Vary and another ETag", path, resp.Header)
			continue
		}
		r, err := gzip.NewReader(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(r); err != nil || string(content) != plain {
			t.Errorf("%s: got different content after decompression, error %v, want the uncompressed file", path, err)
		}
	}
	for _, refused := range []string{"", "br", "gzip;q=0", "gzip; q=0.0"} {
		if resp := get(t, "/", "Accept-Encoding", refused); resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("Accept-Encoding %q: got Content-Encoding %s, want none", refused, resp.Header.Get("Content-Encoding"))
		}
	}
}

// TestFirstLoadFitsTheBudget checks that the scripts and style sheets loaded before the first page is shown have a
// compressed size of at most 60 kB.
func TestFirstLoadFitsTheBudget(t *testing.T) {
	const budget = 60_000
	_, first := loaded(t)
	total := 0
	for path, file := range first {
		var compressed bytes.Buffer
		w := gzip.NewWriter(&compressed)
		if _, err := io.WriteString(w, file); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if file == "" {
			t.Errorf("%s is empty", path)
		}
		total += compressed.Len()
	}
	if t.Logf("%d bytes", total); total > budget || total < 10_000 {
		t.Errorf("got %d compressed bytes in the first load, want 10000 to %d", total, budget)
	}
}

var (
	// markup matches calls and properties with which the app could turn text into code or markup.
	markup = regexp.MustCompile(`insertAdjacentHTML|document\.write|createContextualFragment|srcdoc|dangerouslySetInnerHTML:|\beval\(|new Function|javascript:`)
	// inline matches code that the policy would block.
	inline = regexp.MustCompile(`<script>|<style|\sstyle="|\son[a-z]+="`)
	// external matches references to other hosts.
	external = regexp.MustCompile(`(?:href|src)="(?:https?:)?//|@import|url\(["']?(?:https?:)?//`)
)

func TestAppSetsTextOnly(t *testing.T) {
	all, _ := loaded(t)
	for path, content := range all {
		for _, wrong := range []*regexp.Regexp{markup, inline, external} {
			if found := wrong.FindString(content); found != "" {
				t.Errorf("%s: got %q in the content, want no match of %s", path, found, wrong)
			}
		}
	}
}

func TestLicensesNameThePackages(t *testing.T) {
	notices := strings.Join(ui.Notices(), "\n")
	for _, want := range []string{"npm package preact, version", "npm package @preact/signals, version", "npm package openapi-fetch, version", "MIT License"} {
		if !strings.Contains(notices, want) {
			t.Errorf("got notices without %q", want)
		}
	}
}

// TestOperatorPagesAreSeparate checks that only OperatorRoutes serves the pages for operators, and that it does not
// serve other pages.
func TestOperatorPagesAreSeparate(t *testing.T) {
	operator := web.NewRouter(web.Options{})
	ui.OperatorRoutes(operator, "127.0.0.1:8080")
	for path, want := range map[string][2]int{ // at the public address and at the operator address
		"/operations": {http.StatusNotFound, http.StatusOK}, "/operations/dead/7": {http.StatusNotFound, http.StatusOK},
		"/ui/operations.html": {http.StatusNotFound, http.StatusOK}, "/ui/index.html": {http.StatusOK, http.StatusNotFound},
		"/files": {http.StatusOK, http.StatusNotFound}, "/": {http.StatusOK, http.StatusFound},
	} {
		response := httptest.NewRecorder()
		operator.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil))
		if got := [2]int{get(t, path).StatusCode, response.Code}; got != want {
			t.Errorf("%s: got statuses %v, want %v", path, got, want)
		}
	}
	for host, want := range map[string]string{"localhost:8087": "http://localhost:8080/", "[::1]:8087": "http://[::1]:8080/"} {
		response := httptest.NewRecorder()
		operator.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/operations/sign-in", nil))
		if got := response.Header().Get("Location"); response.Code != http.StatusFound || got != want {
			t.Errorf("sign-in at %s: got status %d to %q, want a redirect to %s", host, response.Code, got, want)
		}
	}
}
