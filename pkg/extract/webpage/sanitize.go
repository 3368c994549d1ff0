package webpage

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// kept lists the elements that sanitize retains, with the attributes that keep returns.
var kept = set(`a abbr b blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd li
	mark ol p pre q rb rp rt rtc ruby s samp section small strong sub sup table tbody td tfoot th thead tr u ul var`)

// parts lists the elements that have a meaning only inside another one.
var parts = set("caption dd dt figcaption li td th")

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

// sanitize returns the displayed content of nodes in a new element, without scripts, loaded resources and deceptive
// content. It retains text elements, links to other pages, and the alternative texts of pictures; of other elements, it
// retains the content. It stops when the text exceeds most bytes, not counting the white space around elements.
func sanitize(nodes []*html.Node, address *url.URL, most int) *html.Node {
	c := cleaner{address: address, left: most}
	clean := newElement("div")
	for _, n := range nodes {
		if !parts[n.Data] {
			c.add(clean, n, view{})
			continue
		}
		part := newElement("div")
		clean.AppendChild(part)
		for child := range n.ChildNodes() {
			c.add(part, child, view{})
		}
	}
	return clean
}

type cleaner struct {
	address *url.URL
	left    int // remaining bytes of text
}

func (c *cleaner) add(to, n *html.Node, v view) {
	switch {
	case c.left < 0:
		return
	case n.Type == html.TextNode:
		if !v.hidden {
			c.addText(to, n.Data)
		}
		return
	case n.Type == html.ElementNode:
		reading := n.Data == "rt" || n.Data == "rtc" || n.Data == "rp"
		if v = v.of(n); v.none && !reading {
			return
		}
		if n.Data == "img" {
			if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" && !v.hidden {
				c.addText(to, alt)
			}
			return
		}
		if name := c.name(n, v); name != "" {
			copied := newElement(name)
			copied.Attr = keep(n, c.address)
			to.AppendChild(copied)
			to = copied
		}
	case n.Type != html.DocumentNode:
		return
	}
	v.block = false
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.add(to, child, v)
	}
}

// name returns the name of an element in the sanitized content, or "" if only its content is retained.
func (c *cleaner) name(n *html.Node, v view) string {
	switch {
	case kept[n.Data]:
		return n.Data
	case n.Data == "html" || n.Data == "body":
		return ""
	case n.Data == "listing" || n.Data == "plaintext" || n.Data == "xmp":
		return "pre"
	case v.block:
		return "div"
	}
	return ""
}

func (c *cleaner) addText(to *html.Node, text string) {
	words := strings.TrimSpace(text)
	if c.left -= len(words); c.left < 0 {
		text = strings.ToValidUTF8(words[:len(words)+c.left], "")
	}
	to.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

// keep returns the attributes that an element retains: links to pages and mail addresses, spans of
// cells, and start values of lists.
func keep(n *html.Node, address *url.URL) []html.Attribute {
	var attrs []html.Attribute
	switch n.Data {
	case "a":
		if target, ok := resolve(address, attribute(n, "href"), "http", "https", "mailto"); ok {
			attrs = append(attrs, html.Attribute{Key: "href", Val: target}, html.Attribute{Key: "rel", Val: "noopener noreferrer nofollow"})
		}
	case "td", "th", "ol":
		for _, key := range []string{"colspan", "rowspan", "start"} {
			if v := attribute(n, key); v != "" && len(v) < 6 && strings.Trim(v, "0123456789") == "" {
				attrs = append(attrs, html.Attribute{Key: key, Val: v})
			}
		}
	}
	return attrs
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// resolve returns the absolute form of a URL if it has one of the schemes.
func resolve(base *url.URL, address string, schemes ...string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || address == "" {
		return "", false
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	for _, scheme := range schemes {
		if u.Scheme == scheme && (u.Host != "" || scheme == "mailto") {
			return u.String(), true
		}
	}
	return "", false
}
