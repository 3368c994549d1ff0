package page

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

// sanitize returns the content of a node in a new element, without scripts, loaded resources and deceptive content.
// It retains text elements, links to other pages, and the alternative texts of pictures.
func sanitize(n *html.Node, address *url.URL) *html.Node {
	out := &html.Node{Type: html.ElementNode, Data: "div"}
	appendClean(out, n, address)
	return out
}

func appendClean(to, n *html.Node, address *url.URL) {
	switch {
	case n.Type == html.TextNode:
		to.AppendChild(&html.Node{Type: html.TextNode, Data: n.Data})
		return
	case n.Type == html.ElementNode && (dropped[n.Data] || n.Namespace != ""):
		return
	case n.Type == html.ElementNode && n.Data == "img":
		if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" {
			to.AppendChild(&html.Node{Type: html.TextNode, Data: alt})
		}
		return
	case n.Type == html.ElementNode && kept[n.Data]:
		copied := &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom}
		copied.Attr = keep(n, address)
		to.AppendChild(copied)
		to = copied
	case n.Type != html.ElementNode && n.Type != html.DocumentNode:
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		appendClean(to, c, address)
	}
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
	lines := strings.Split(b.String(), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if line = strings.TrimRight(line, " \t"); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func appendText(b *strings.Builder, n *html.Node, preformatted bool) {
	if n.Type == html.TextNode {
		if preformatted {
			b.WriteString(n.Data)
			return
		}
		words := strings.Fields(n.Data)
		text := strings.Join(words, " ")
		if written := b.String(); written != "" && !strings.HasSuffix(written, " ") && !strings.HasSuffix(written, "\n") && startsWithSpace(n.Data) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
		if len(words) > 0 && startsWithSpace(n.Data[len(n.Data)-1:]) {
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
