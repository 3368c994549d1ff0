package webpage

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// These sets control sanitize. It removes the tags of other elements, but retains their content.
var (
	// kept lists the elements that are retained, with the attributes that keep returns.
	kept = set(`a abbr b blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd li
		mark ol p pre q s samp section small strong sub sup table tbody td tfoot th thead tr u ul var`)
	// dropped lists the elements that are removed together with their content.
	dropped = set(`applet audio base button canvas datalist embed fieldset frame frameset head iframe input link map math meta noembed
		noframes noscript object optgroup option param plaintext script select style svg template textarea title track video xmp`)
	// blocks lists the elements that begin and end a line of the text.
	blocks = set(`blockquote br caption dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul`)
)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

// spaces is the factor by which the text of an element may exceed the limit of the text before white space is removed.
const spaces = 2

// sanitize returns the content of a node in a new element, without scripts, loaded resources and deceptive content.
// It retains text elements, links to other pages, and the alternative texts of pictures. It stops when the text exceeds
// spaces times most bytes, and reports whether the content is complete.
func sanitize(n *html.Node, address *url.URL, most int) (clean *html.Node, complete bool) {
	c := cleaner{address: address, left: spaces * most}
	clean = &html.Node{Type: html.ElementNode, Data: "div"}
	c.add(clean, n)
	return clean, c.left >= 0
}

type cleaner struct {
	address *url.URL
	left    int // remaining bytes of text
}

func (c *cleaner) add(to, n *html.Node) {
	switch {
	case c.left < 0:
		return
	case n.Type == html.TextNode:
		c.addText(to, n.Data)
		return
	case n.Type == html.ElementNode && (dropped[n.Data] || n.Namespace != ""):
		return
	case n.Type == html.ElementNode && n.Data == "img":
		if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" {
			c.addText(to, alt)
		}
		return
	case n.Type == html.ElementNode && kept[n.Data]:
		copied := &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom}
		copied.Attr = keep(n, c.address)
		to.AppendChild(copied)
		to = copied
	case n.Type != html.ElementNode && n.Type != html.DocumentNode:
		return
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.add(to, child)
	}
}

func (c *cleaner) addText(to *html.Node, text string) {
	if c.left -= len(text); c.left < 0 {
		text = strings.ToValidUTF8(text[:len(text)+c.left], "")
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

// plain returns the text of sanitized content, with one line for each block.
func plain(n *html.Node) string {
	var b strings.Builder
	appendText(&b, n, false)
	var lines strings.Builder
	for line := range strings.SplitSeq(b.String(), "\n") {
		if line = strings.TrimRight(line, " \t"); line == "" {
			continue
		}
		if lines.Len() > 0 {
			lines.WriteByte('\n')
		}
		lines.WriteString(line)
	}
	return lines.String()
}

func appendText(b *strings.Builder, n *html.Node, preformatted bool) {
	if n.Type == html.TextNode {
		if preformatted {
			b.WriteString(n.Data)
			return
		}
		if written := b.String(); written != "" && !strings.HasSuffix(written, " ") && !strings.HasSuffix(written, "\n") && startsWithSpace(n.Data) {
			b.WriteByte(' ')
		}
		words := 0
		for word := range strings.FieldsSeq(n.Data) {
			if words++; words > 1 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		if words > 0 && startsWithSpace(n.Data[len(n.Data)-1:]) {
			b.WriteByte(' ')
		}
		return
	}
	block := blocks[n.Data]
	if block {
		b.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		appendText(b, c, preformatted || n.Data == "pre")
	}
	switch {
	case block:
		b.WriteByte('\n')
	case n.Data == "td" || n.Data == "th":
		b.WriteByte('\t')
	}
}

func startsWithSpace(s string) bool { return s != "" && strings.ContainsAny(s[:1], " \t\r\n\f") }
