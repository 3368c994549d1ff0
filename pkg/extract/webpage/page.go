// Package webpage reads web pages: the article without menus and advertisements, as text and as safe HTML, and the
// metadata of the page.
package webpage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	htmlcharset "golang.org/x/net/html/charset"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/stamp"
)

// Engine returns the name and version of the library that finds the article.
func Engine() string { return stamp.Of("codeberg.org/readeck/go-readability/v2") }

// ErrDamaged is returned for HTML that cannot be parsed. It is permanent.
const ErrDamaged = reason.PageUnreadable

// Limits bound what Read returns and how it finds the article. Zero fields select the defaults.
type Limits struct {
	Text int // bytes; default 8 MiB
	// Elements and Nested bound the pages in which Read looks for an article. Of larger pages, it returns all content.
	Elements int // number of elements; default 50,000
	Nested   int // bytes of text, counted once for each element that contains them; default 32 MiB
}

// Memory returns the maximum memory in bytes for reading a page of size bytes, in addition to the page. TestMemory
// measures it.
func Memory(size int64) int64 {
	const (
		fixed = 24 << 20 // tokens, and the article
		tags  = 80       // per byte: elements and their sanitized copies
		text  = 12       // per byte: text in UTF-8 and in HTML
	)
	return fixed + min(tags*size, 2*maxTree) + text*size
}

// Page is the content of a web page.
type Page struct {
	Title, Byline, Site, Excerpt string
	Language                     string // as stated by the page, for example "en-US"
	Image                        string // the absolute URL of the page's picture (og:image), or ""
	Published, Modified          time.Time
	Text                         string // text of the article, or of the entire page
	HTML                         string // the same content as an HTML document without scripts, styles, forms and pictures; its links point to other pages
	Article                      bool   // whether an article was found
	Cut                          string // why the text is truncated, as a user-facing message; "" if it is complete
}

// Read reads a page. contentType may state the charset. Links are resolved against address, which
// may be nil. Read returns ErrDamaged and the errors of ctx. It does not check ctx while it
// looks for the article; the limits bound the duration.
func Read(ctx context.Context, data []byte, contentType string, address *url.URL, l Limits) (_ *Page, err error) {
	if l.Text == 0 {
		l.Text = 8 << 20
	}
	if l.Elements == 0 {
		l.Elements = 50_000
	}
	if l.Nested == 0 {
		l.Nested = 32 << 20
	}
	document, err := parse(ctx, bytes.NewReader(decode(data, contentType)), maxTree)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	p, body := &Page{Title: title(document)}, document
	if l.searchable(document) {
		if article := p.find(document, address); article != nil {
			body, p.Article = article, true
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	clean, complete := sanitize(body, address, l.Text)
	text := plain(clean)
	if len(text) > l.Text {
		at := l.Text
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
		text, complete = text[:at], false
	}
	if p.Text = text; !complete {
		p.Cut = fmt.Sprintf("only the first %d bytes of the text are stored", l.Text)
	}
	p.HTML, err = p.document(clean)
	return p, err
}

// find returns the article of a page, or nil, and stores the metadata of the page. It does not change
// the document.
func (p *Page) find(document *html.Node, address *url.URL) (article *html.Node) {
	defer func() {
		if recover() != nil { // the library cannot process this tree; use the entire page
			article = nil
		}
	}()
	a, err := readability.FromDocument(clone(document), address)
	if err != nil {
		return nil
	}
	if found := strings.TrimSpace(a.Title()); found != "" {
		p.Title = found
	}
	p.Byline, p.Site, p.Excerpt, p.Language = strings.TrimSpace(a.Byline()), a.SiteName(), strings.TrimSpace(a.Excerpt()), a.Language()
	if image, ok := resolve(address, a.ImageURL(), "http", "https"); ok {
		p.Image = image
	}
	if t, err := a.PublishedTime(); err == nil {
		p.Published = t.UTC()
	}
	if t, err := a.ModifiedTime(); err == nil {
		p.Modified = t.UTC()
	}
	return a.Node
}

// searchable reports whether Read looks for an article in a page: the library visits the text of an element once for each
// element that contains it, and cannot be stopped.
func (l Limits) searchable(document *html.Node) bool {
	elements, nested := 0, 0
	for n := range document.Descendants() {
		if n.Type != html.TextNode {
			if elements++; elements > l.Elements {
				return false
			}
			continue
		}
		for range n.Ancestors() {
			if nested += len(n.Data); nested > l.Nested {
				return false
			}
		}
	}
	return true
}

func title(document *html.Node) string {
	for n := range document.Descendants() {
		if n.Type == html.ElementNode && n.Data == "title" && n.FirstChild != nil {
			return strings.Join(strings.Fields(n.FirstChild.Data), " ")
		}
	}
	return ""
}

func clone(n *html.Node) *html.Node {
	copied := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		copied.AppendChild(clone(c))
	}
	return copied
}

// document returns a new HTML document with the title and the content.
func (p *Page) document(content *html.Node) (string, error) {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html")
	if p.Language != "" {
		b.WriteString(` lang="` + html.EscapeString(p.Language) + `"`)
	}
	b.WriteString(`><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>` +
		html.EscapeString(p.Title) + "</title></head><body>\n")
	for c := content.FirstChild; c != nil; c = c.NextSibling {
		if err := html.Render(&b, c); err != nil {
			return "", err
		}
	}
	b.WriteString("\n</body></html>\n")
	return b.String(), nil
}

// decode returns a page in UTF-8. Its charset is that of a byte order mark, of the content type, or of a meta element.
// Without any, it is detected.
func decode(data []byte, contentType string) []byte {
	if _, name, certain := htmlcharset.DetermineEncoding(data[:min(len(data), 1024)], contentType); certain || name != "windows-1252" {
		if declared, err := charset.NewReader(name, bytes.NewReader(data)); err == nil {
			if decoded, err := io.ReadAll(declared); err == nil {
				return decoded
			}
		}
	}
	if decoded, _, err := plaintext.Decode(data, contentType); err == nil {
		return decoded
	}
	return bytes.ToValidUTF8(data, []byte("\uFFFD"))
}
