package webpage

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// mark is the attribute that numbers the elements of the copy of a page in which the library looks for the article.
const mark = "data-assay-element"

// find returns the elements of a page that contain its article, and stores the metadata of the page. It returns nil if
// there is no article, or if the article is the entire body. The library leaves out parts of an article because of their
// names and classes, so find returns the elements of the page that the library has chosen, not their copies. It does not
// change the document.
func (p *Page) find(document *html.Node, address *url.URL) (article []*html.Node) {
	defer func() {
		if recover() != nil { // the library cannot process this tree; use the entire page
			article = nil
		}
	}()
	var c copier
	copied := c.clone(document)
	parser := readability.NewParser()
	a, err := parser.ParseAndMutate(copied, address)
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
	return c.originals(a.Node)
}

// copier copies a page and remembers its elements.
type copier struct{ elements []*html.Node }

// clone returns a copy of a node, whose elements have the attribute mark. The body of the copy begins with a space.
func (c *copier) clone(n *html.Node) *html.Node {
	copied := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace}
	if n.Type == html.ElementNode {
		copied.Attr = slices.DeleteFunc(slices.Clone(n.Attr), func(a html.Attribute) bool { return a.Key == mark })
		copied.Attr = append(copied.Attr, html.Attribute{Key: mark, Val: strconv.Itoa(len(c.elements))})
		c.elements = append(c.elements, n)
		if n.Data == "body" {
			copied.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		copied.AppendChild(c.clone(child))
	}
	return copied
}

// originals returns the elements of the page that the children of found are copies of. The library has added a
// child without the attribute mark around other content; that is returned itself. If found has the space at the start of
// the body, it is the entire body, and originals returns nil.
func (c *copier) originals(found *html.Node) (all []*html.Node) {
	if found == nil || found.FirstChild == nil || found.FirstChild.Type == html.TextNode {
		return nil
	}
	chosen := map[*html.Node]bool{}
	for child := range found.ChildNodes() {
		n := child
		if i, err := strconv.Atoi(attribute(child, mark)); err == nil && i < len(c.elements) {
			n = whole(c.elements[i])
		}
		inside := chosen[n]
		for above := range n.Ancestors() {
			inside = inside || chosen[above]
		}
		if !inside {
			chosen[n] = true
			all = append(all, n)
		}
	}
	return all
}

// whole returns the table that an element is a row or a group of, or the element.
func whole(n *html.Node) *html.Node {
	for above := range n.Ancestors() {
		switch n.Data {
		case "tbody", "tfoot", "thead", "tr":
			n = above
		default:
			return n
		}
	}
	return n
}
