package syndication_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

const (
	rss = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Site</title>
<item><guid>https://example.com/1</guid><link>https://example.com/1?utm_source=rss</link><title>One &amp;amp; only</title>
<description><![CDATA[<p>Good <b>news</b></p>]]></description><category>Tech</category><dc:creator>Jane</dc:creator>
<pubDate>Fri, 20 Nov 2026 12:00:00 +0100</pubDate></item></channel></rss>`
	atom = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Site</title><entry><id>https://example.com/1</id>
<link href="https://example.com/1?utm_source=rss"/><title type="html">One &amp;amp; only</title><content type="html">&lt;p&gt;Good &lt;b&gt;news&lt;/b&gt;&lt;/p&gt;</content>
<category term="Tech"/><author><name>Jane</name></author><updated>2026-11-20T11:00:00Z</updated></entry></feed>`
	jsonFeed = `{"version":"https://jsonfeed.org/version/1.1","title":"Site","items":[{"id":"https://example.com/1","url":"https://example.com/1?utm_source=rss",
"title":"One & only","content_html":"<p>Good <b>news</b></p>","tags":["Tech"],"authors":[{"name":"Jane"}],"date_published":"2026-11-20T12:00:00+01:00"}]}`
)

func client(t *testing.T) fetch.Client {
	t.Helper()
	c := guard.Client(guard.Policy{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, time.Minute)
	t.Cleanup(c.CloseIdleConnections)
	return fetch.Client{HTTP: c, MaxBody: 1 << 20}
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestFormats(t *testing.T) {
	for name, body := range map[string]string{"rss": rss, "atom": atom, "json": jsonFeed, "with a byte order mark": "\ufeff" + rss} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		got, err := syndication.Read(t.Context(), client(t), url, syndication.Validators{})
		if err != nil || got.Title != "Site" || len(got.Entries) != 1 {
			t.Errorf("%s: got %+v, error %v, want one entry of Site", name, got, err)
			continue
		}
		e := got.Entries[0]
		if e.ID != "https://example.com/1" || e.Link != "https://example.com/1?utm_source=rss" || e.Title != "One &amp; only" ||
			strings.TrimSpace(e.Summary) != "<p>Good <b>news</b></p>" || e.Author != "Jane" || len(e.Categories) != 1 || e.Categories[0] != "Tech" ||
			!e.Published.Equal(time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: got entry %+v, want the same entry in every format", name, e)
		}
	}
}

// TestCharsets reads feeds in various charsets, declared in every supported place.
func TestCharsets(t *testing.T) {
	const start, end = "<?xml version=\"1.0\"", "?><rss version=\"2.0\"><channel><title>caf\u00e9</title></channel></rss>"
	wide := func(text string, order binary.AppendByteOrder) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
	latin := strings.ReplaceAll(end, "\u00e9", "\xe9")
	for name, c := range map[string]struct{ contentType, body, title string }{
		"in the declaration":               {"text/xml", start + ` encoding="ISO-8859-1"` + latin, "caf\u00e9"},
		"in the header only":               {"text/xml; charset=windows-1252", start + latin, "caf\u00e9"},
		"header, no XML declaration":       {"text/xml; charset=windows-1252", latin[2:], "caf\u00e9"},
		"declaration and header differ":    {"text/xml; charset=us-ascii", start + ` encoding="utf-8"` + end, "caf\u00e9"},
		"UTF-16 with a byte order mark":    {"text/xml", wide("\ufeff"+start+` encoding="UTF-16"`+end, binary.LittleEndian), "caf\u00e9"},
		"big-endian UTF-16":                {"text/xml", wide("\ufeff"+start+` encoding='utf-16'`+end, binary.BigEndian), "caf\u00e9"},
		"UTF-16 without a byte order mark": {"application/rss+xml", wide(start+` encoding="UTF-16"`+end, binary.LittleEndian), "caf\u00e9"},
		"UTF-16 in the header":             {"text/xml; charset=utf-16be", wide(start+end, binary.BigEndian), "caf\u00e9"},
		"an unknown charset":               {"text/xml; charset=klingon", start + end, "caf\u00e9"},
		"one invalid byte":                 {"text/xml", start + strings.Replace(end, "caf", "c\xffaf", 1), "c\ufffdaf\u00e9"},
		"one control character":            {"text/xml", start + strings.Replace(end, "caf", "c\x0baf", 1), "caf\u00e9"},
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.contentType)
			fmt.Fprint(w, c.body)
		})
		if got, err := syndication.Read(t.Context(), client(t), url, syndication.Validators{}); err != nil || got.Title != c.title {
			t.Errorf("%s: got title %q, error %v, want %q", name, got.Title, err, c.title)
		}
	}
}

// TestConditional checks that a server's validators are sent back, and that a 304 response is recognized.
func TestConditional(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"7"`)
		w.Header().Set("Last-Modified", "Fri, 20 Nov 2026 12:00:00 GMT")
		if r.Header.Get("If-None-Match") == `W/"7"` && r.Header.Get("If-Modified-Since") == "Fri, 20 Nov 2026 12:00:00 GMT" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, rss)
	})
	first, err := syndication.Read(t.Context(), client(t), url, syndication.Validators{})
	if err != nil || first.Unchanged || len(first.Entries) != 1 {
		t.Fatalf("first request: got %+v, error %v, want one entry", first, err)
	}
	second, err := syndication.Read(t.Context(), client(t), url, first.Validators)
	if err != nil || !second.Unchanged || len(second.Entries) != 0 || second.Validators != first.Validators {
		t.Errorf("second request: got %+v, error %v, want an unchanged feed with the same validators", second, err)
	}
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		means  error
	}{
		"unauthorized":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, fetch.ErrUnauthorized},
		"gone":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, fetch.ErrGone},
		"HTML":            {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><body>Welcome</body></html>") }, fetch.ErrMalformed},
		"truncated":       {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, rss[:len(rss)/2]) }, fetch.ErrMalformed},
		"empty body":      {func(http.ResponseWriter, *http.Request) {}, fetch.ErrMalformed},
		"not a JSON feed": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"items":7}`) }, fetch.ErrMalformed},
		"too large":       {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, rss, strings.Repeat(" ", 1<<20)) }, fetch.ErrTooLarge},
		"redirect to a private address": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, guard.ErrBlocked},
	} {
		if got, err := syndication.Read(t.Context(), client(t), serve(t, c.answer), syndication.Validators{}); !errors.Is(err, c.means) {
			t.Errorf("%s: got %+v, error %v, want %v", name, got, err, c.means)
		}
	}
	busy := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := syndication.Read(t.Context(), client(t), busy, syndication.Validators{})
	if throttled, ok := errors.AsType[*fetch.Throttled](err); !ok || throttled.After != 30*time.Second {
		t.Errorf("a busy server: got error %v, want Throttled after 30s", err)
	}
}
