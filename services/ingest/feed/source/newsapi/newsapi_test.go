package newsapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

func client(t *testing.T, timeout time.Duration) fetch.Client {
	t.Helper()
	c := guard.Client(guard.Policy{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, timeout)
	t.Cleanup(c.CloseIdleConnections)
	return fetch.Client{HTTP: c, MaxBody: 1 << 20}
}

var from = time.Date(2026, 11, 20, 12, 30, 0, 0, time.FixedZone("", 3600))

func TestPages(t *testing.T) {
	server := newsapitest.Start(t)
	for i := range 250 {
		server.Publish(newsapi.Article{
			Source: newsapi.Source{Name: "BBC News"}, Author: "Jane", Title: fmt.Sprintf("Of Go %d", i), Description: "About “Go”.",
			URL: fmt.Sprintf("https://example.com/%d", i), PublishedAt: from.Add(time.Duration(i) * time.Second),
		})
	}
	server.Publish(newsapi.Article{Title: "Of Go, too old", PublishedAt: from.Add(-time.Second)}, newsapi.Article{Title: "Of else", PublishedAt: from})
	search := newsapi.Search{Endpoint: server.URL + "?domains=example.com", Key: newsapitest.Key, Phrase: `of go`, Language: "en", From: from}
	seen := map[string]bool{}
	for search.Page = 1; search.Page <= 3; search.Page++ {
		page, err := search.Do(t.Context(), client(t, time.Minute))
		if err != nil || page.Total != 250 {
			t.Fatalf("page %d: got %+v, error %v, want a total of 250", search.Page, page, err)
		}
		for _, a := range page.Articles {
			seen[a.URL] = true
			if a.Source.Name != "BBC News" || a.Author != "Jane" || a.PublishedAt.Before(from) {
				t.Errorf("got %+v, want an article of Jane in BBC News after %s", a, from)
			}
		}
	}
	if len(seen) != 250 {
		t.Errorf("got %d articles on three pages, want 250", len(seen))
	}
	if _, err := search.Do(t.Context(), client(t, time.Minute)); !errors.Is(err, newsapi.ErrEnd) {
		t.Errorf("a page that the plan does not include: got error %v, want ErrEnd", err)
	}
	asked := server.Asked()[0]
	for name, want := range map[string]string{
		"q": `"of go"`, "from": "2026-11-20T11:30:00", "pageSize": "100", "page": "1", "sortBy": "publishedAt", "language": "en",
		"domains": "example.com", "apiKey": "",
	} {
		if got := asked.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestFailures covers the error responses of a server.
func TestFailures(t *testing.T) {
	fail := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { newsapitest.Fail(w, status, code, "said") }
	}
	limited := func(value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			newsapitest.Fail(w, http.StatusTooManyRequests, "rateLimited", "said")
		}
	}
	throttled := func(least, most time.Duration) func(error) bool {
		return func(err error) bool {
			got, ok := errors.AsType[*fetch.Throttled](err)
			return ok && got.After >= least && got.After <= most
		}
	}
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	other := func(err error) bool {
		_, throttled := errors.AsType[*fetch.Throttled](err)
		return !throttled && !errors.Is(err, fetch.ErrUnauthorized) && !errors.Is(err, fetch.ErrMalformed) && !errors.Is(err, newsapi.ErrEnd)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		means  func(error) bool
	}{
		"no key":                  {fail(401, "apiKeyMissing"), is(fetch.ErrUnauthorized)},
		"wrong key":               {fail(401, "apiKeyInvalid"), is(fetch.ErrUnauthorized)},
		"disabled key":            {fail(403, "apiKeyDisabled"), is(fetch.ErrUnauthorized)},
		"401 without a code":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, is(fetch.ErrUnauthorized)},
		"exhausted key":           {fail(429, "apiKeyExhausted"), throttled(0, 0)},
		"rate limited":            {fail(429, "rateLimited"), throttled(0, 0)},
		"Retry-After in seconds":  {limited("120"), throttled(2*time.Minute, 2*time.Minute)},
		"Retry-After as a date":   {limited(time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat)), throttled(time.Hour, 2*time.Hour)},
		"Retry-After in the past": {limited("Fri, 21 Nov 2025 12:00:00 GMT"), throttled(0, 0)},
		"invalid Retry-After":     {limited("soon"), throttled(0, 0)},
		"Retry-After too long":    {limited("999999999"), throttled(24*time.Hour, 24*time.Hour)},
		"invalid parameter":       {fail(400, "parameterInvalid"), other},
		"server error":            {fail(500, "unexpectedError"), other},
		"bad gateway":             {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, other},
		"redirect":                {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v2/other", http.StatusFound) }, other},
		"HTML":                    {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, is(fetch.ErrMalformed)},
		"truncated":               {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"ok","articles":[{`) }, is(fetch.ErrMalformed)},
		"empty body":              {func(http.ResponseWriter, *http.Request) {}, is(fetch.ErrMalformed)},
		"wrong types":             {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"ok","articles":7}`) }, is(fetch.ErrMalformed)},
		"too large": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"status":"ok","articles":[],"more":%q}`, strings.Repeat("x", 2<<20))
		}, is(fetch.ErrTooLarge)},
	} {
		t.Run(name, func(t *testing.T) {
			server := newsapitest.Start(t)
			server.Answer(c.answer)
			page, err := newsapi.Search{Endpoint: server.URL, Key: newsapitest.Key, Phrase: "go", Page: 1}.Do(t.Context(), client(t, time.Minute))
			if err == nil || !c.means(err) {
				t.Errorf("got %+v, error %v, want the error of this response", page, err)
			} else if strings.Contains(err.Error(), newsapitest.Key) {
				t.Errorf("got error %q, want it without the key", err)
			}
		})
	}
}

// TestSlowResponses checks that the timeout of the request applies to a missing response and to one that
// stops in the middle.
func TestSlowResponses(t *testing.T) {
	for name, begin := range map[string]string{"no response": "", "incomplete response": `{"status":"ok",`} {
		server := newsapitest.Start(t)
		server.Answer(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, begin)
			if begin != "" {
				_ = http.NewResponseController(w).Flush() // fails only if the client has disconnected
			}
			<-r.Context().Done()
		})
		if page, err := (newsapi.Search{Endpoint: server.URL, Key: newsapitest.Key, Phrase: "go", Page: 1}).Do(t.Context(), client(t, 200*time.Millisecond)); err == nil {
			t.Errorf("%s: got %+v, want a timeout", name, page)
		}
	}
}

// TestInvalidArticle checks that an invalid article does not affect the others.
func TestInvalidArticle(t *testing.T) {
	server := newsapitest.Start(t)
	server.Answer(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status":"ok","totalResults":3,"articles":[{"title":"a","publishedAt":"yesterday"},7,{"title":"b","publishedAt":"2026-11-20T12:00:00Z"}]}`)
	})
	page, err := newsapi.Search{Endpoint: server.URL, Key: newsapitest.Key, Phrase: "go", Page: 1}.Do(t.Context(), client(t, time.Minute))
	if err != nil || len(page.Articles) != 3 || page.Articles[0].Title != "a" || page.Articles[2].Title != "b" || page.Articles[2].PublishedAt.IsZero() {
		t.Errorf("got %+v, error %v, want 3 articles, the first and the last with their titles", page, err)
	}
}

// TestKeyIsNotRedirected checks that a redirect does not send the key to another server.
func TestKeyIsNotRedirected(t *testing.T) {
	server, other := newsapitest.Start(t), newsapitest.Start(t)
	server.Answer(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"?q=go", http.StatusFound) })
	page, err := newsapi.Search{Endpoint: server.URL, Key: newsapitest.Key, Phrase: "go", Page: 1}.Do(t.Context(), client(t, time.Minute))
	if err == nil || len(other.Asked()) != 0 {
		t.Errorf("got %+v, error %v, requests %v to the other server, want an error and no requests", page, err, other.Asked())
	}
}
