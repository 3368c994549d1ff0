package opml_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/ingest/feed/source/opml"
)

func document(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><head><title>Mine</title></head><body>` + body + `</body></opml>`
}

func TestRead(t *testing.T) {
	feed := opml.Feed{Title: "One", URL: "https://a.example/1"}
	in := func(folders ...string) opml.Feed { f := feed; f.Folders = folders; return f }
	of := func(categories ...string) opml.Feed { f := feed; f.Categories = categories; return f }
	const one = `<outline type="rss" text="One" xmlUrl="https://a.example/1"/>`
	for name, c := range map[string]struct {
		body string
		want []opml.Feed
	}{
		"none":                  {"", nil},
		"one":                   {one, []opml.Feed{feed}},
		"title before text":     {`<outline text="1" title=" One " xmlUrl=" https://a.example/1 "/>`, []opml.Feed{feed}},
		"other case":            {`<OUTLINE TYPE="RSS" Text="One" xmlurl="https://a.example/1"/>`, []opml.Feed{feed}},
		"url instead of xmlUrl": {`<outline type="rss" text="One" url="https://a.example/1"/>`, []opml.Feed{feed}},
		"feed scheme":           {`<outline text="One" xmlUrl="feed:https://a.example/1"/>`, []opml.Feed{feed}},
		"feed scheme for http":  {`<outline text="One" xmlUrl="feed://a.example/1"/>`, []opml.Feed{{Title: "One", URL: "http://a.example/1"}}},
		"link and inclusion":    {`<outline type="link" text="x" url="https://a.example/"/><outline type="include" url="https://a.example/o"/>`, nil},
		"folders":               {`<outline text="A"><outline text="B">` + one + `</outline>` + one + `</outline>` + one, []opml.Feed{in("A", "B"), in("A"), feed}},
		"folder without a name": {`<outline><outline text="B">` + one + `</outline></outline>`, []opml.Feed{in("B")}},
		"feed in a feed":        {`<outline text="One" xmlUrl="https://a.example/1">` + one + `</outline>`, []opml.Feed{feed, feed}},
		"categories":            {strings.Replace(one, "/>", ` category="/Boston/Weather, tides,/A"/>`, 1), []opml.Feed{of("Weather", "tides", "A")}},
		"entities":              {`<outline text="Caf&eacute; &amp; Co & more" xmlUrl="https://a.example/?a=1&amp;b=2"/>`, []opml.Feed{{Title: "Café & Co & more", URL: "https://a.example/?a=1&b=2"}}},
	} {
		got, err := opml.Read([]byte(document(c.body)), "")
		for i, f := range got {
			if len(f.Folders) == 0 {
				got[i].Folders = nil
			}
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, error %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestCharsets(t *testing.T) {
	latin := strings.Replace(document("<outline text=\"Caf\xe9\" xmlUrl=\"https://a.example/\"/>"), "UTF-8", "ISO-8859-1", 1)
	for contentType, body := range map[string]string{
		"text/xml": latin, "text/x-opml; charset=windows-1252": latin[strings.Index(latin, "<opml"):],
	} {
		if got, err := opml.Read([]byte(body), contentType); err != nil || len(got) != 1 || got[0].Title != "Café" {
			t.Errorf("%s: got %+v, error %v, want Café", contentType, got, err)
		}
	}
}

func TestRefusedDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		means error
	}{
		"empty": {"", opml.ErrMalformed}, "text": {"feeds", opml.ErrMalformed}, "feed": {"<rss><channel/></rss>", opml.ErrMalformed},
		"cut":       {document("")[:90] + "<outline text", opml.ErrMalformed},
		"too many":  {document(strings.Repeat(`<outline text="x"/>`, opml.MaxOutlines+1)), opml.ErrTooMany},
		"just many": {document(strings.Repeat(`<outline text="x"/>`, opml.MaxOutlines)), nil},
	} {
		if got, err := opml.Read([]byte(c.body), ""); !errors.Is(err, c.means) {
			t.Errorf("%s: got %+v, error %v, want %v", name, got, err, c.means)
		}
	}
}

func TestWrite(t *testing.T) {
	feeds := []opml.Feed{
		{Title: "One & <two>", URL: "https://a.example/?a=1&b=2", Categories: []string{"x", "y z"}, Match: "text", Interval: "1h", Enabled: "false"},
		{Title: "Café", URL: "https://b.example/"},
	}
	written, err := opml.Write("Mine", time.Date(2026, 11, 27, 22, 0, 0, 0, time.UTC), feeds)
	if err != nil || !strings.Contains(string(written), "<dateCreated>Fri, 27 Nov 2026 22:00:00 UTC</dateCreated>") {
		t.Fatalf("got %s, error %v, want a document with its date", written, err)
	}
	got, err := opml.Read(written, "text/x-opml")
	for i := range got {
		got[i].Folders = nil
	}
	if err != nil || !reflect.DeepEqual(got, feeds) {
		t.Errorf("read again: got %+v, error %v, want %+v", got, err, feeds)
	}
}
