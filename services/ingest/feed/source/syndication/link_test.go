package syndication_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSharedID checks that an id that entries with different links share identifies none of them.
func TestSharedID(t *testing.T) {
	if got, err := served(t, document(t, "one-guid-ten-entries.xml")); err != nil || len(got.Entries) != 10 || got.Entries[0].ID != "" {
		t.Errorf("one-guid-ten-entries.xml: got %+v, error %v, want 10 entries without an id", got, err)
	}
	var many []fields
	for n := range 10 {
		many = append(many, fields{"same", fmt.Sprintf("https://a.example/%d", n), "x", ""})
	}
	for _, format := range []string{"RSS 2.0", "Atom"} {
		body := written(declared, "https://site.example/", fields{"x", "https://a.example/1?utm_source=a", "x", ""}, fields{"x", "https://a.example/1?utm_source=b#c", "y", ""})[format]
		if got, err := served(t, body); err != nil || len(got.Entries) != 2 || got.Entries[0].ID != "x" {
			t.Errorf("%s: links that differ by a campaign: got %+v, error %v, want the id x", format, got, err)
		}
	}
	again := fields{"again", "https://a.example/again", "y", ""}
	for format, body := range written(declared, "https://site.example/", append(many, again, again)...) {
		got, err := served(t, body)
		if err != nil || len(got.Entries) != 12 {
			t.Errorf("%s: got %+v, error %v, want 12 entries", format, got, err)
			continue
		}
		for i, e := range got.Entries {
			if i < 10 && (e.ID == "same" || e.Link == "") || i >= 10 && format != "RSS 1.0" && e.ID != "again" {
				t.Errorf("%s: entry %d: got id %q, link %q, want an id only if it is that of one link", format, i, e.ID, e.Link)
			}
		}
	}
}

// TestRelativeLinks resolves relative links in every format.
func TestRelativeLinks(t *testing.T) {
	if got, err := served(t, document(t, "relative-link.xml")); err != nil || len(got.Entries) != 1 || got.Entries[0].Link != "https://site.example/rel/1" {
		t.Errorf("relative-link.xml: got %+v, error %v, want https://site.example/rel/1", got, err)
	}
	for _, c := range []struct{ site, link, base, rss, atom string }{
		{"https://site.example/blog/", "/rel/1", "", "https://site.example/rel/1", "/rel/1"},
		{"https://site.example/blog/", "1?a=b", "", "https://site.example/blog/1?a=b", "/dir/1?a=b"},
		{"https://site.example/", "//cdn.example/1", "", "https://cdn.example/1", "http://cdn.example/1"},
		{"/blog/", "1", "", "/blog/1", "/dir/1"},
		{"", "1", "", "/dir/1", "/dir/1"},
		{"https://site.example/", "https://a.example/1#x", "", "https://a.example/1#x", "https://a.example/1#x"},
		{"https://site.example/", "1", "https://base.example/x/", "https://base.example/x/1", "https://base.example/x/1"},
	} {
		for format, body := range written(declared, c.site, fields{"urn:1", c.link, "One", ""}) {
			if c.base != "" {
				for _, root := range []string{`<rss `, `<rdf:RDF `, `<feed `} {
					body = strings.Replace(body, root, root+`xml:base="`+c.base+`" `, 1)
				}
			}
			want := map[bool]string{true: c.atom, false: c.rss}[format == "Atom"]
			got, err := served(t, body)
			if err != nil || len(got.Entries) != 1 || !strings.HasSuffix(got.Entries[0].Link, want) || !strings.Contains(got.Entries[0].Link, "://") {
				t.Errorf("%s, %s at %s: got %+v, error %v, want %s", format, c.link, c.site, got, err, want)
			}
		}
	}
}

// TestPermalinks checks that the guid of an entry of RSS is its link if it has no other.
func TestPermalinks(t *testing.T) {
	for item, want := range map[string]string{
		`<guid>https://a.example/1</guid>`:                                 "https://a.example/1",
		`<guid isPermaLink="true"> https://a.example/1 </guid><link/>`:     "https://a.example/1",
		`<guid isPermaLink="false">https://a.example/1</guid>`:             "",
		`<guid isPermaLink="False">https://a.example/1</guid>`:             "",
		`<guid>https://a.example/1</guid><link>https://a.example/2</link>`: "https://a.example/2",
		`<id>https://a.example/1</id>`:                                     "https://a.example/1", `<guid>1</guid>`: "", `<guid>tag:a.example,2026:1</guid>`: "", `<title>x</title>`: "",
	} {
		got, err := served(t, `<rss version="2.0"><channel><link>https://site.example/</link><item>`+item+`</item></channel></rss>`)
		if err != nil || len(got.Entries) != 1 || got.Entries[0].Link != want {
			t.Errorf("%s: got %+v, error %v, want the link %q", item, got, err, want)
		}
	}
}
