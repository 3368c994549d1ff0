package syndication_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

// fields are the fields of an entry in a document that written writes.
type fields struct{ id, link, title, date string }

// written returns a document with the same entries in each format, after an XML declaration.
func written(declaration, site string, entries ...fields) map[string]string {
	rss2 := declaration + `<rss version="2.0"><channel><title>Site</title><link>` + site + `</link>`
	rss1 := declaration + `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
		`<channel rdf:about="` + site + `"><title>Site</title><link>` + site + `</link></channel>`
	atom := declaration + `<feed xmlns="http://www.w3.org/2005/Atom"><title>Site</title><link href="` + site + `"/><id>urn:site</id>`
	for _, e := range entries {
		rss2 += `<item><title>` + e.title + `</title><guid isPermaLink="false">` + e.id + `</guid><pubDate>` + e.date + `</pubDate><link>` + e.link + `</link></item>`
		rss1 += `<item rdf:about="` + e.id + `"><title>` + e.title + `</title><dc:date>` + e.date + `</dc:date><link>` + e.link + `</link></item>`
		atom += `<entry><title>` + e.title + `</title><id>` + e.id + `</id><updated>` + e.date + `</updated><link href="` + e.link + `"/></entry>`
	}
	return map[string]string{"RSS 2.0": rss2 + `</channel></rss>`, "RSS 1.0": rss1 + `</rdf:RDF>`, "Atom": atom + `</feed>`}
}

// served reads a document from a server that states no content type of a feed.
func served(t *testing.T, body string) (syndication.Feed, error) {
	t.Helper()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("ETag", `"1"`)
		fmt.Fprint(w, body)
	})
	return syndication.Read(t.Context(), client(t), url+"/dir/feed.xml", syndication.Validators{})
}

func document(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

const declared = `<?xml version="1.0" encoding="UTF-8"?>`

var (
	one = fields{"urn:1", "https://a.example/1", "One", ""}
	two = fields{"urn:2", "https://a.example/2", "Two", ""}
)

// titles returns the titles of the entries of a feed.
func titles(feed syndication.Feed) string {
	var all []string
	for _, e := range feed.Entries {
		all = append(all, e.Title)
	}
	return strings.Join(all, ", ")
}

func packed(t *testing.T, body string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestDocuments reads made documents that other readers read.
func TestDocuments(t *testing.T) {
	for name, want := range map[string]string{
		"declared-utf-8-bytes-latin1.xml": "Un café naïf", "undeclared-latin1.xml": "Un café", "notice-before-xml.xml": "After a notice",
		"xml-1.1.xml": "Version one one", "feed.xml.gz": "Packed", "relative-link.xml": "Relative link", "target.xml": "Plain",
	} {
		if got, err := served(t, document(t, name)); err != nil || titles(got) != want || got.Damaged || got.Validators.ETag == "" {
			t.Errorf("%s: got %+v, error %v, want the undamaged entry %q", name, got, err, want)
		}
	}
}

// TestDocumentStarts reads documents that begin with something else in every format.
func TestDocumentStarts(t *testing.T) {
	notice := "<br />\n<b>Notice</b>: Undefined index <!-- <rss> --> in <b>/x.php</b><br />\n"
	for name, declaration := range map[string]string{
		"notice": notice + declared, "notice without a declaration": notice, "XML 1.1": `<?xml version="1.1" encoding="UTF-8"?>`,
		"XML 1.1 in single quotes": `<?xml version='1.1'?>`, "spaces": " \r\n\t" + declared, "long comment": declared + "<!-- <feed> " + strings.Repeat("x", 9000) + "-->",
		"mark after a notice": notice + "\ufeff" + declared, "document type": declared + `<!DOCTYPE rss SYSTEM "x.dtd">`,
	} {
		for format, body := range written(declaration, "https://site.example/", one, two) {
			for form, body := range map[string]string{"plain": body, "gzip": packed(t, body)} {
				if got, err := served(t, body); err != nil || titles(got) != "One, Two" || got.Damaged {
					t.Errorf("%s, %s, %s: got %+v, error %v, want two entries", name, format, form, got, err)
				}
			}
		}
	}
	latin := strings.NewReplacer("One", "caf\xe9", "UTF-8", "iso-8859-1")
	for format, body := range written(notice+declared, "https://site.example/", one) {
		if got, err := served(t, latin.Replace(body)); err != nil || titles(got) != "café" {
			t.Errorf("%s in ISO-8859-1 after a notice: got %+v, error %v, want café", format, got, err)
		}
	}
}

// TestBytesContradictCharset reads Latin-1 that is declared as UTF-8 or not at all.
func TestBytesContradictCharset(t *testing.T) {
	latin := strings.NewReplacer("é", "\xe9", "ï", "\xef")
	for _, declaration := range []string{declared, `<?xml version="1.0"?>`, ""} {
		for format, body := range written(declaration, "https://site.example/", fields{"urn:1", "https://a.example/1", "Un café naïf", ""}) {
			if got, err := served(t, latin.Replace(body)); err != nil || titles(got) != "Un café naïf" {
				t.Errorf("%s after %q: got %+v, error %v, want Un café naïf", format, declaration, got, err)
			}
		}
	}
}

// TestCut cuts documents, and reads the whole entries, and the last one if it has its title and its id.
func TestCut(t *testing.T) {
	got, err := served(t, document(t, "truncated.xml"))
	if err != nil || titles(got) != "One, Two" || got.Entries[1].ID != "tr2" || got.Entries[1].Link != "" || !got.Damaged || got.Validators.ETag != "" {
		t.Errorf("truncated.xml: got %+v, error %v, want two entries, the second without a link, and no validators", got, err)
	}
	for format, body := range written(declared, "https://site.example/", one, two) {
		end := map[bool]string{true: "</entry>", false: "</item>"}[format == "Atom"]
		firstEnd, secondEnd := strings.Index(body, end)+len(end), strings.LastIndex(body, end)+len(end)
		for _, c := range []struct {
			at   int
			want string
		}{
			{firstEnd, "One"}, {firstEnd + 1, "One"}, {firstEnd + 5, "One"}, {strings.Index(body, "Two") + 1, "One"}, {strings.Index(body, "a.example/2"), "One, Two"},
			{secondEnd - 1, "One, Two"}, {secondEnd, "One, Two"}, {len(body) - 1, "One, Two"},
		} {
			for form, cut := range map[string]string{"plain": body[:c.at], "gzip": packed(t, body[:c.at])} {
				if got, err := served(t, cut); err != nil || titles(got) != c.want || !got.Damaged {
					t.Errorf("%s in %s, cut at %d: got %+v, error %v, want %s of a damaged document", format, form, c.at, got, err, c.want)
				}
			}
		}
		whole := packed(t, body)
		if got, err := served(t, whole[:len(whole)-4]); err != nil || titles(got) != "One, Two" {
			t.Errorf("%s: without the end of the compressed data: got %+v, error %v, want two entries", format, got, err)
		}
		if got, err := served(t, body[:strings.Index(body, "One")]); !errors.Is(err, fetch.ErrMalformed) {
			t.Errorf("%s: without an entry: got %+v, error %v, want ErrMalformed", format, got, err)
		}
	}
}

// TestDamagedEntry checks that damage in an entry does not hide what is around it.
func TestDamagedEntry(t *testing.T) {
	for damaged, want := range map[string]string{
		"Two<=": "One, Two&lt;=, Three", "A < B": "One, A &lt; B, Three", "Two<![CDATA[x] ]>": "One",
		"Two &nope; & x]]>": "One, Two &amp;nope; &amp; x]]&gt;, Three", "Two&#0;": "One, Two\ufffd, Three",
	} {
		three := fields{"urn:3", "https://a.example/3", "Three", ""}
		for format, body := range written(declared, "https://site.example/", one, two, three) {
			got, err := served(t, strings.Replace(body, "Two", damaged, 1))
			if err != nil || titles(got) != want || got.Damaged != strings.Contains(damaged, "<") {
				t.Errorf("%s, %s: got %+v, error %v, want %s", damaged, format, got, err, want)
			}
		}
	}
	for format, body := range written(declared, "https://site.example/", one, two) {
		end := map[bool]string{true: "</entry>", false: "</item>"}[format == "Atom"]
		if got, err := served(t, strings.Replace(body, end, "", 1)); err != nil || titles(got) != "One, Two" || !got.Damaged {
			t.Errorf("%s without an end tag: got %+v, error %v, want two entries", format, got, err)
		}
	}
}

// TestManyEntries checks that the number of entries and the depth of a document are limited.
func TestManyEntries(t *testing.T) {
	got, err := served(t, "<rss><channel>"+strings.Repeat("<item/>", 20_001)+"</channel></rss>")
	if err != nil || len(got.Entries) != 20_000 || !got.Damaged {
		t.Errorf("got %d entries, damaged %t, error %v, want 20000 of a damaged document", len(got.Entries), got.Damaged, err)
	}
	deep := strings.Repeat("<b>", 5000) + "One" + strings.Repeat("</b>", 5000)
	if got, err := served(t, "<rss><channel><item><title>"+deep+"</title></item></channel></rss>"); err != nil || len(got.Entries) != 1 || !strings.Contains(titles(got), "One") {
		t.Errorf("deep elements: got %d entries, error %v, want One", len(got.Entries), err)
	}
	if got, err := served(t, "<rss><channel>"+strings.Repeat("<item><title>x<</title></item>", 5000)+"</channel></rss>"); err != nil || len(got.Entries) > 1001 || !got.Damaged {
		t.Errorf("many damaged tags: got %d entries, error %v, want at most 1001", len(got.Entries), err)
	}
}

// TestUnpackedSize checks that the limit of a response applies to a document in undeclared gzip.
func TestUnpackedSize(t *testing.T) {
	if got, err := served(t, packed(t, rss+strings.Repeat(" ", 1<<20))); !errors.Is(err, fetch.ErrTooLarge) {
		t.Errorf("got %+v, error %v, want ErrTooLarge", got, err)
	}
	if got, err := served(t, "\x1f\x8bnot gzip"); !errors.Is(err, fetch.ErrMalformed) {
		t.Errorf("got %+v, error %v, want ErrMalformed", got, err)
	}
}
