package source

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// site serves documents and redirects by path, and records the requests.
type site struct {
	*httptest.Server
	pages map[string]http.HandlerFunc
	asked []string
}

func startSite(t *testing.T) *site {
	t.Helper()
	s := &site{pages: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.URL.Path)
		if answer, ok := s.pages[r.URL.Path]; ok {
			answer(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func to(status int, path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, path, status) }
}

const oneEntry = `<rss version="2.0"><channel><item><guid>1</guid><title>One</title></item></channel></rss>`

func rssSource(url string) *Source {
	return newSource(Settings{Kind: KindRSS, URL: url, Interval: "10m", Tags: []string{"a"}, Match: MatchAll})
}

// TestWebPageNamesFeed checks that the feed that a web page names is read, and polled from then on.
func TestWebPageNamesFeed(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("syndication/testdata")))
	t.Cleanup(server.Close)
	s := rssSource(server.URL + "/page.html")
	p := newPoller(t, &taker{})
	r := polled(t, p, s, noon)
	if r.err != nil || r.taken.Created != 1 || s.State.Location != server.URL+"/target.xml" || s.State.Used.Requests != 2 {
		t.Fatalf("got report %+v, state %+v, want one item of target.xml in two requests", r, s.State)
	}
	if r := polled(t, p, s, s.State.NextPoll); r.err != nil || !r.unchanged || s.State.Used.Requests != 2 || s.State.Location == "" {
		t.Errorf("second poll: got report %+v, state %+v, want an unchanged feed", r, s.State)
	}
	for page, want := range map[string]string{
		`<link rel="alternate" type="application/rss+xml" href="/feed">`:                                             "/feed",
		`<LINK TYPE='Application/Atom+XML; charset=utf-8' REL='Alternate' HREF='/feed'/>`:                            "/feed",
		`<link href=/feed rel=alternate type=application/rdf+xml>`:                                                   "/feed",
		"<link\n\thref='feed'\n\trel='home ALTERNATE'\n type=' application/feed+json '>":                             "/feed",
		`<base href="/sub/"><link rel="alternate" type="application/atom+xml" href="feed">`:                          "/sub/feed",
		`<base href="/sub/"></head><body><link rel="alternate" type="application/rss+xml" href="../feed?a=1&amp;b">`: "/feed?a=1&b",
		`<!-- <link rel="alternate" type="application/rss+xml" href="/no"> --><link rel="stylesheet" type="application/rss+xml" href="/no">` +
			`<link rel="alternate" type="text/html" href="/no"><link rel="alternate" type="application/rss+xml" href="/feed"><link rel="alternate" type="application/rss+xml" href="/comments">`: "/feed",
	} {
		server := startSite(t)
		server.pages["/"] = says("<!DOCTYPE html><html><head><title>Site</title>" + page + "</head></html>")
		server.pages["/feed"], server.pages["/sub/feed"] = says(oneEntry), says(oneEntry)
		s := rssSource(server.URL + "/")
		if r := polled(t, newPoller(t, &taker{}), s, noon); r.err != nil || r.taken.Created != 1 || s.State.Location != server.URL+want {
			t.Errorf("%s: got report %+v, location %s, want one item of %s", page, r, s.State.Location, want)
		}
	}
}

// TestOneHop checks that a page that a web page names is not followed further, that the quota applies, and that the feed
// is under the same network rules as the page.
func TestOneHop(t *testing.T) {
	page := func(href string) http.HandlerFunc {
		return says(`<html><link rel="alternate" type="application/rss+xml" href="` + href + `"></html>`)
	}
	for name, c := range map[string]struct {
		href, outcome string
		quota, used   int
	}{
		"another page":    {"/page", outcomeMalformed, 0, 2},
		"itself":          {"/", outcomeMalformed, 0, 2},
		"missing":         {"/missing", outcomeFailed, 0, 2},
		"quota of one":    {"/feed", outcomeMalformed, 1, 1},
		"private address": {"http://169.254.169.254/feed", outcomeRefused, 0, 2},
		"other scheme":    {"file:///etc/passwd", outcomeRefused, 0, 2},
		"user name":       {"http://me@127.0.0.1/feed", outcomeRefused, 0, 2},
	} {
		server := startSite(t)
		server.pages["/"], server.pages["/page"], server.pages["/feed"] = page(c.href), page("/feed"), says(oneEntry)
		s := rssSource(server.URL + "/")
		if c.quota > 0 {
			s.Settings.Quota = c.quota
		}
		r := polled(t, newPoller(t, &taker{}), s, noon)
		if outcome, _ := r.outcome(); outcome != c.outcome || s.State.Used.Requests != c.used || s.State.Location != "" {
			t.Errorf("%s: got report %+v, state %+v, want outcome %s after %d requests", name, r, s.State, c.outcome, c.used)
		}
	}
}

// TestPermanentRedirects checks that the URL after permanent redirects is polled from then on, until a poll fails.
func TestPermanentRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		old, middle int
		location    string
	}{
		"301": {301, 0, "/new"}, "308": {308, 0, "/new"}, "302": {302, 0, ""}, "303": {303, 0, ""}, "307": {307, 0, ""},
		"301, then 308": {301, 308, "/new"}, "301, then 302": {301, 302, "/middle"}, "302, then 301": {302, 301, ""},
	} {
		server, next := startSite(t), "/new"
		if c.middle > 0 {
			next = "/middle"
			server.pages["/middle"] = to(c.middle, "/new")
		}
		server.pages["/old"], server.pages["/new"] = to(c.old, next), says(oneEntry)
		s, p, want := rssSource(server.URL+"/old"), newPoller(t, &taker{}), ""
		if c.location != "" {
			want = server.URL + c.location
		}
		if r := polled(t, p, s, noon); r.err != nil || s.State.Location != want {
			t.Errorf("%s: got report %+v, location %q, want %q", name, r, s.State.Location, want)
			continue
		}
		server.asked = nil
		server.pages["/new"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
		polled(t, p, s, s.State.NextPoll)
		if first := map[bool]string{true: "/old", false: c.location}[c.location == ""]; server.asked[0] != first || s.State.Location != "" {
			t.Errorf("%s: got requests for %s, location %q, want the first for %s, and no location after a failure", name, strings.Join(server.asked, " "), s.State.Location, first)
		}
	}
	server := startSite(t)
	server.pages["/old"], server.pages["/new"] = to(301, "/new"), says("not a feed")
	s := rssSource(server.URL + "/old")
	if polled(t, newPoller(t, &taker{}), s, noon); s.State.Location != "" {
		t.Errorf("redirect to a document that is no feed: got location %q, want none", s.State.Location)
	}
	server.pages["/new"] = says(oneEntry)
	polled(t, newPoller(t, &taker{}), s, s.State.NextPoll)
	if s.change(s.Settings, noon.Add(time.Hour)); s.State.Location != "" {
		t.Errorf("after a change of the settings: got location %q, want none", s.State.Location)
	}
}
