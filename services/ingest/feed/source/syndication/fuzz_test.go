package syndication

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/guard/fetch"
)

// FuzzParse checks that parsing an arbitrary document, in any charset, returns UTF-8 or
// fetch.ErrMalformed.
func FuzzParse(f *testing.F) {
	for _, body := range []string{
		`<rss version="2.0"><channel><title>a</title><item><guid>1</guid><pubDate>x</pubDate></item></channel></rss>`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><content type="xhtml"><div>x</div></content></entry></feed>`,
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1}]}`, "\xff\xfe<\x00r\x00", `<?xml version="1.0" encoding="utf-7"?><rdf:RDF/>`,
	} {
		f.Add([]byte(body), "text/xml; charset=iso-8859-1")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		feed, err := parse(body, contentType, "https://example.com/feed")
		if err != nil && !errors.Is(err, fetch.ErrMalformed) {
			t.Fatal(err)
		}
		for _, e := range feed.Entries {
			for _, text := range append(e.Categories, e.ID, e.Link, e.Title, e.Summary, e.Author) {
				if !utf8.ValidString(text) {
					t.Fatalf("got %q, want valid UTF-8", text)
				}
			}
		}
	})
}
