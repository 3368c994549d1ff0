package syndication_test

import (
	"strings"
	"testing"
)

// only returns the only entry of a document.
func only(t *testing.T, body string) (title, summary string) {
	t.Helper()
	got, err := served(t, body)
	if err != nil || len(got.Entries) != 1 {
		t.Fatalf("%s: got %+v, error %v, want an entry", body, got, err)
	}
	return got.Entries[0].Title, got.Entries[0].Summary
}

// TestTextConstructs reads the types of texts in Atom (RFC 4287, 3.1, and Atom 0.3).
func TestTextConstructs(t *testing.T) {
	const div = `<div xmlns="http://www.w3.org/1999/xhtml">`
	for content, want := range map[string]string{
		`>1 &lt; 2 &amp;amp; 3</`: "1 &lt; 2 &amp;amp; 3", ` type="text">&lt;b>x&lt;/b></`: "&lt;b&gt;x&lt;/b&gt;", ` type="text/plain">a &amp; b</`: "a &amp; b",
		` type="html">&lt;b>x&lt;/b> &amp;amp; y</`: "<b>x</b> &amp; y", ` type="html"><![CDATA[<b>x</b>]]></`: "<b>x</b>", ` type="TEXT/HTML" mode="escaped">&lt;i>x&lt;/i></`: "<i>x</i>",
		` type="xhtml">` + div + `a &lt; <b>x</b></div></`: "<div>a &lt; <b>x</b></div>", ` type="xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><h:div>a<h:br/></h:div></`: "<div>a<br></br></div>",
		` type="text/html" mode="base64">PGI+eDwvYj4=</`: "<b>x</b>", ` type="application/octet-stream">PGI+eDwvYj4=</`: "&lt;b&gt;x&lt;/b&gt;", `><![CDATA[a]]> b<!-- c --></`: "a b", `> </`: "",
	} {
		body := `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title` + content + `title><summary` + content + `summary></entry></feed>`
		if title, summary := only(t, body); title != want || summary != want {
			t.Errorf("%s: got %q and %q, want %q", content, title, summary, want)
		}
	}
	if _, summary := only(t, `<feed><entry><id>1</id><content type="image/png">iVBO</content></entry></feed>`); summary != "" {
		t.Errorf("content that is an image: got %q, want none", summary)
	}
}

// TestTitlesOfRSS checks how it is guessed whether a title is HTML.
func TestTitlesOfRSS(t *testing.T) {
	for content, want := range map[string]string{
		"AT&amp;T": "AT&amp;T", "a &lt; b": "a &lt; b", "Use &lt;b&gt;": "Use &lt;b&gt;", "&lt;b&gt;x&lt;/b&gt;": "<b>x</b>", "One &amp;amp; only": "One &amp; only",
		"&lt;script&gt;x&lt;/script&gt;y": "<script>x</script>y", "&lt;item&gt;x&lt;/item&gt;": "&lt;item&gt;x&lt;/item&gt;", "<![CDATA[<i>x</i>]]>": "<i>x</i>", "a <b>x</b> &amp; y": "a <b>x</b> &amp; y", "&amp;nope; &lt;i&gt;x&lt;/i&gt;": "&amp;nope; &lt;i&gt;x&lt;/i&gt;",
		"Caf&eacute;": "Café", "caf\u00c3\u00a9": "café", "it\u0092s": "it’s", "&#8364;": "€",
	} {
		if title, _ := only(t, `<rss><channel><item><title>`+content+`</title></item></channel></rss>`); title != want {
			t.Errorf("%s: got %q, want %q", content, title, want)
		}
	}
	for prolog, want := range map[string]string{
		`<!DOCTYPE rss [<!ENTITY shop "a&lt;b"> <!ENTITY long "` + strings.Repeat("x", 1000) + `">]>`: "&amp;shop; &amp;long;",
		`<!DOCTYPE rss [<!ENTITY shop 'Shop'>]>`:                                                      "Shop &amp;long;",
	} {
		if title, _ := only(t, declared+prolog+`<rss><channel><item><title>&shop; &long;</title></item></channel></rss>`); title != want {
			t.Errorf("%s: got %q, want %q", prolog, title, want)
		}
	}
}

// TestPlacesOfFields reads fields from the places where publishers write them.
func TestPlacesOfFields(t *testing.T) {
	const namespaces = `xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
		`xmlns:media="http://search.yahoo.com/mrss/" xmlns:a="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"`
	for item, want := range map[string]string{
		"<dc:title>x</dc:title>": "x|", "<d:title>x</d:title>": "x|", "<media:group><media:title>x</media:title></media:group>": "x|",
		"<media:title>y</media:title><title>x</title>": "x|", "<content:encoded>&lt;p>x</content:encoded>": "|<p>x", "<content:encoded>y</content:encoded><description>x</description>": "|x",
		"<itunes:summary>x</itunes:summary>": "|x", "<dc:description>x</dc:description>": "|x", "<a:summary>x</a:summary>": "|x", "<image><title>y</title></image><title>x</title>": "x|",
		"<source><title>y</title></source><title>x</title>": "x|", "<other:title>y</other:title><title>x</title>": "x|", "<TITLE>x</TITLE>": "x|",
		"<sx:conflicts><item><title>y</title></item></sx:conflicts><title>x</title>": "x|", "<description>x<item>y</item></description>": "|x<item>y</item>",
	} {
		title, summary := only(t, `<rss `+namespaces+`><channel><title>z</title><item>`+item+`</item></channel></rss>`)
		if got := title + "|" + summary; got != want {
			t.Errorf("%s: got %s, want %s", item, got, want)
		}
	}
	if title, _ := only(t, `<rss xmlns="http://unknown.example/"><channel><item><title>x</title></item></channel></rss>`); title != "x" {
		t.Errorf("RSS in an unknown namespace: got %q, want x", title)
	}
}
