package feed

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// imported is the result of an import.
type imported struct {
	Created, Existing, Refused []struct {
		Name, URL string
		Reasons   []string
	}
}

// TestOPML: an import adds a source for each feed and its items get the folders as tags; repeating it changes nothing.
// The export of one server imports the same sources into another one.
func TestOPML(t *testing.T) {
	t.Parallel()
	host := startFeedHost(t, "Of Go", "Of gophers")
	s := system.StartServer(t, t.TempDir(), sourcesEnv...)
	send := func(operator, document, query string) imported {
		t.Helper()
		resp, body := system.System{HTTP: operator}.Ask(t, http.MethodPost, "/v1/feed/opml"+query, map[string]string{"Content-Type": "text/x-opml"}, document)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("import: %d %s, want 200", resp.StatusCode, body)
		}
		var got imported
		system.Decode(t, body, &got)
		return got
	}
	document := `<?xml version="1.0"?><opml version="2.0"><body><outline text="Books"><outline type="rss" text="The Books" xmlUrl="` + host.url + `"/></outline>` +
		`<outline type="rss" text="The Books" xmlUrl="` + host.url + `"/><outline type="rss" text="Wrong" xmlUrl="ftp://example.com/"/></body></opml>`
	got := send(s.Operator, document, "?interval=1h")
	if len(got.Created) != 1 || got.Created[0].Name != "the-books" || len(got.Existing) != 1 || got.Existing[0].Name != "the-books" ||
		len(got.Refused) != 1 || len(got.Refused[0].Reasons) != 1 || !strings.HasPrefix(got.Refused[0].Reasons[0], "url is not ") {
		t.Errorf("import: got %+v, want the source the-books once, and a refused URL", got)
	}
	s.AwaitItems(t, "Books", 2)
	if again := send(s.Operator, document, ""); len(again.Created) != 0 || len(again.Existing) != 2 {
		t.Errorf("the same import again: got %+v, want only existing sources", again)
	}

	putSource(t, s.Operator, "off", "", system.Settings{"kind": "rss", "url": "https://example.com/off", "enabled": false, "interval": "2h", "tags": []string{"b", "a c"}})
	putSource(t, s.Operator, "news", "", system.Settings{"kind": "newsapi", "enabled": false, "tags": []string{"a"}})
	resp, exported := system.System{HTTP: s.Operator}.Ask(t, http.MethodGet, "/v1/feed/opml", nil, "")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/x-opml; charset=utf-8" {
		t.Fatalf("export: %d %s %s, want OPML", resp.StatusCode, resp.Header.Get("Content-Type"), exported)
	}
	other := system.StartServer(t, t.TempDir(), sourcesEnv...)
	if got := send(other.Operator, exported, ""); len(got.Created) != 2 || len(got.Refused) != 0 {
		t.Errorf("import of the export: got %+v, want two sources", got)
	}
	for _, name := range []string{"the-books", "off"} {
		want, got := getSource(t, s.Operator, name), getSource(t, other.Operator, name)
		if got.URL != want.URL || got.Interval != want.Interval || got.Enabled != want.Enabled || !slices.Equal(got.Tags, want.Tags) {
			t.Errorf("%s: got %+v, want the settings of %+v", name, got, want)
		}
	}
	for _, c := range []struct {
		name, body string
		status     int
		slug       string
	}{
		{"not OPML", "<rss/>", http.StatusUnprocessableEntity, "invalid-request"},
		{"too many outlines", "<opml><body>" + strings.Repeat("<outline/>", 2001) + "</body></opml>", http.StatusUnprocessableEntity, "invalid-request"},
		{"too large", "<opml>" + strings.Repeat(" ", 1<<20) + "</opml>", http.StatusRequestEntityTooLarge, "body-too-large"},
	} {
		t.Log(c.name)
		resp, body := system.System{HTTP: s.Operator}.Ask(t, http.MethodPost, "/v1/feed/opml", map[string]string{"Content-Type": "text/x-opml"}, c.body)
		system.Refused(t, resp, body, c.status, c.slug)
	}
}
