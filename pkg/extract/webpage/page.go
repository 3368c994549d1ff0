// Package webpage reads web pages: all displayed text, the article without menus and advertisements as safe HTML, and
// the metadata of the page. A page is HTML, or an archive in MHTML.
package webpage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/assay-project/assay/pkg/extract/mhtml"
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
	Text    int // bytes of the text; default 8 MiB
	Article int // bytes of the text in Page.HTML; default 8 MiB
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
	Text                         string // the displayed text of the entire page
	Cut                          string // why the text is truncated, as a user-facing message; "" if it is complete
	Charset                      plaintext.Outcome
	// HTML is the article, or the entire page if there is no article or if it is the entire page, as an HTML document
	// without scripts, styles, forms and pictures. Its links point to other pages.
	HTML    string
	Article bool // whether HTML is a part of the page
	// Refresh is the URL that a browser loads instead of the page (meta refresh), or "". It is absolute if the URL of the
	// page is known.
	Refresh string
	Scripts bool // whether the page has scripts
}

// Read reads a page. contentType may state the charset. Links are resolved against address, which
// may be nil. Read returns ErrDamaged and the errors of ctx. It does not check ctx while it
// looks for the article; the limits bound the duration.
func Read(ctx context.Context, data []byte, contentType string, address *url.URL, l Limits) (_ *Page, err error) {
	if l.Text == 0 {
		l.Text = 8 << 20
	}
	if l.Article == 0 {
		l.Article = 8 << 20
	}
	if l.Elements == 0 {
		l.Elements = 50_000
	}
	if l.Nested == 0 {
		l.Nested = 32 << 20
	}
	archived, err := mhtml.Read(ctx, data)
	if err != nil {
		return nil, err
	}
	if archived != nil {
		data, contentType, address = archived.Data, archived.ContentType, cmp.Or(address, archived.URL)
	}
	p := &Page{}
	data, p.Charset = decode(data, contentType)
	document, scripts, err := parse(ctx, bytes.NewReader(data), maxTree)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	p.Title, p.Refresh, p.Scripts = title(document), refresh(document, address), scripts
	text, complete := plain(document, l.Text)
	if p.Text = text; !complete {
		p.Cut = fmt.Sprintf("only the first %d bytes of the text are stored", l.Text)
	}
	shown := []*html.Node{document}
	if l.searchable(document) {
		if article := p.find(document, address); article != nil {
			shown, p.Article = article, true
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.HTML, err = p.document(sanitize(shown, address, l.Article))
	return p, err
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

// refresh returns the URL of the first meta element that makes a browser with scripts load another page, or "".
func refresh(document *html.Node, address *url.URL) string {
	for n := range document.Descendants() {
		if n.Data != "meta" || !strings.EqualFold(attribute(n, "http-equiv"), "refresh") {
			continue
		}
		content := strings.TrimLeft(attribute(n, "content"), "0123456789. \t\r\n")
		target := strings.TrimSpace(strings.TrimLeft(content, ";,")) // such as url='next.html'
		if key, value, found := strings.Cut(target, "="); found && strings.EqualFold(strings.TrimSpace(key), "url") {
			target = strings.Trim(strings.TrimSpace(value), `"'`)
		}
		if absolute, ok := resolve(address, target, "http", "https"); ok {
			return inASCII(absolute)
		}
		if u, err := url.Parse(target); err == nil && u.Scheme == "" && target != "" {
			return inASCII(u.String())
		}
	}
	return ""
}

// inASCII escapes the characters of a URL that may mislead readers, such as those that change the direction of text.
func inASCII(address string) string {
	var b strings.Builder
	for _, c := range []byte(address) {
		if c <= ' ' || c >= utf8.RuneSelf {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
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
