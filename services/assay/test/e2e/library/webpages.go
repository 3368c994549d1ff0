package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// pagesAreSearchedEntirely: the words of a web page outside of its article are found too, and the article is a view of
// its own. Pages are HTML, in the charset that they declare, or archives in MHTML.
func pagesAreSearchedEntirely(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	paragraph := "<p>" + strings.Repeat("The tides follow the moon, and, where the sun pulls along the same line, they rise much higher than usual. ", 5) + "</p>"
	page := file(t, c, "tides.html", "", `<html><head><title>Tides</title></head><body><nav><a href="/">Navigationquux</a></nav><article><h1>Tides</h1>`+
		strings.Repeat(paragraph, 3)+`<table class="ad-break"><tr><td>Tablequux</td></tr></table></article><footer>Imprintquux</footer></body></html>`)
	archive := file(t, c, "saved.mhtml", "", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n"+
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>Gr=C3=BC=C3=9Fe archi=\r\nvequux</p>\r\n--b--\r\n")
	late := file(t, c, "late.html", "", "<html><head><script>"+strings.Repeat("var x=1;", 500)+"</script><meta charset=koi8-r></head><body>\xdc\xcc\xc5\xcb\xd4\xd2\xcf latequux")
	for word, want := range map[string]client.Node{
		"Navigationquux": page, "Imprintquux": page, "Tablequux": page, "archivequux": archive, "электро": late,
	} {
		found, err := c.SearchLibrary(system.Within(t), client.Search{Query: word, After: client.NodeVersion(want)})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Node.ID != want.ID {
			t.Errorf("a search for %s found %+v, %v; want %s", word, found.Hits, err, want.Name)
		}
	}
	reader := readAll(t, c.NodeReader, page)
	if !strings.Contains(reader, "<h1>Tides</h1>") || !strings.Contains(reader, "Tablequux") || strings.Contains(reader, "Imprintquux") {
		t.Errorf("the article is %s, want all of the article and no footer", reader)
	}
	if m := metadataOf(t, c, page); m["article"] != true || m["title"] != "Tides" || m["charset"] != "utf-8" {
		t.Errorf("the metadata are %v, want an article with the title and the charset", m)
	}
	if m := metadataOf(t, c, archive); archive.SubType != "WebPage" || m["contentType"] != "multipart/related" {
		t.Errorf("the archive is %s with %v, want a web page of type multipart/related", archive.SubType, m)
	}
	other := file(t, c, "a.txt", "", "text")
	if _, err := c.NodeReader(system.Within(t), other.ID, client.Reading{}); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the article of a text returned %v, want 404", err)
	}
}

// missingTextIsExplained: a file without any text is Processed, and its metadata and the step say why it has none.
func missingTextIsExplained(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	for name, test := range map[string]struct{ content, want string }{
		"app.html":   {"<html><body><div id=root></div><script>render()</script></body></html>", "its scripts, which may add text, are not run"},
		"moved.html": {`<html><head><meta http-equiv="refresh" content="0; url=https://example.com/a"></head></html>`, "it refers to https://example.com/a"},
		"empty.html": {"<html><body><p></p></body></html>", "the page contains no text to display"},
		"blank.txt":  {" \n", "the document contains no text"},
		"blank.docx": {string(officetest.Word("<w:p/>")), "the document contains no text"},
	} {
		n := file(t, c, name, "", test.content)
		if m := metadataOf(t, c, n); !strings.Contains(fmt.Sprint(m["noText"]), test.want) {
			t.Errorf("%s: the metadata are %v, want noText with %q", name, m, test.want)
		}
		w, err := c.Workflow(system.Within(t), n.ID)
		if err != nil || !slices.ContainsFunc(w.Steps, func(s client.LibraryStep) bool { return s.ID == "text" && strings.Contains(s.Reason, test.want) }) {
			t.Errorf("%s: the steps are %+v, %v; want the reason %q", name, w.Steps, err, test.want)
		}
		if text := readAll(t, c.NodeText, n); strings.TrimSpace(text) != "" {
			t.Errorf("%s: the text is %q, want none", name, text)
		}
	}
	n := file(t, c, "text.html", "", "<p>text<script>render()</script>")
	if m := metadataOf(t, c, n); m["noText"] != nil {
		t.Errorf("the metadata of a page with text are %v, want no noText", m)
	}
}

func readAll(t *testing.T, open func(context.Context, string, client.Reading) (io.ReadCloser, error), n client.Node) string {
	t.Helper()
	body, err := open(system.Within(t), n.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(read)
}

func metadataOf(t *testing.T, c *client.Client, n client.Node) map[string]any {
	t.Helper()
	m, err := c.NodeMetadata(system.Within(t), n.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
