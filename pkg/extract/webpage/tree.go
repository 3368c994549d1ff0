package webpage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of the tree of a page. Its text is always complete.
const (
	maxTree  = 48 << 20 // bytes of elements and attributes; further tags are dropped, and their text is kept
	maxDepth = 512      // nesting depth, as in browsers; elements inside the last level become siblings
	maxName  = 100      // bytes of the name of an attribute; longer ones are dropped
	// maxNoscript is the number of bytes of a noscript element that are kept: it often contains the picture that a script
	// shows. The library that finds the article parses it again, without the limits of this package.
	maxNoscript = 4 << 10

	nodeSize      = 112 // bytes of an html.Node
	attributeSize = 48  // bytes of an html.Attribute
	checkEvery    = 4096
)

// parse returns the tree of a page, with at most most bytes of elements and attributes, and whether the page has scripts.
// Its size and the time for building it are proportional to the page, whatever the page contains: unlike html.Parse, it
// does not repeat formatting elements that cross others, and does not fail for deep nesting. The tree has no comments, no
// drawings and formulas other than their text, and no scripts other than metadata (JSON-LD). For almost all public pages,
// its text is that of the standard tree.
func parse(ctx context.Context, r io.Reader, most int) (document *html.Node, scripts bool, err error) {
	b := newBuilder(newTokens(r), most)
	for n := 1; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		kind := b.tokens.next()
		if kind == html.ErrorToken {
			b.flush()
			if err := b.tokens.Err(); !errors.Is(err, io.EOF) {
				return nil, false, err
			}
			return b.document, b.scripts, nil
		}
		b.add(kind)
	}
}

// builder builds the tree of a page from its tokens.
type builder struct {
	tokens   *tokens
	document *html.Node
	head     *html.Node
	left     int             // remaining bytes of the tree
	open     []element       // the open elements; the first two are html and body
	opened   map[string]int  // number of open elements by name, without html and body
	inBody   bool            // whether the head has ended
	text     strings.Builder // text that is not yet in the tree
	hidden   bool            // inside raw text that is dropped
	scripts  bool            // the page has scripts
	foreign  foreign
}

type element struct {
	*html.Node
	traits trait
	ended  bool // its end tag was inside an element that is still open
}

func newBuilder(t *tokens, most int) *builder {
	b := &builder{tokens: t, document: &html.Node{Type: html.DocumentNode}, left: most, opened: map[string]int{}}
	root, head, body := newElement("html"), newElement("head"), newElement("body")
	b.document.AppendChild(root)
	root.AppendChild(head)
	root.AppendChild(body)
	b.head, b.open = head, []element{{Node: root, traits: traits["html"]}, {Node: body, traits: traits["body"]}}
	return b
}

func newElement(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
}

// add processes a token.
func (b *builder) add(kind html.TokenType) {
	if kind == html.TextToken {
		b.addText()
		return
	}
	raw, more := b.tokens.TagName()
	name := string(raw)
	if a := atom.Lookup(raw); a != 0 {
		name = a.String() // shared by all elements
	}
	if kind == html.EndTagToken && name == b.tokens.raw {
		b.tokens.raw = ""
		if b.hidden {
			b.hidden = false
			return
		}
	}
	before := b.foreign.displays()
	if b.foreign.skips(b.tokens, kind, name) {
		if b.inBody && b.foreign.name != "" && (before || b.foreign.displays()) {
			b.text.WriteByte(' ') // in place of the tag
		}
		return
	}
	t := traits[name]
	if kind == html.EndTagToken {
		if b.fits(name, t) {
			b.end(name, t)
		}
		return
	}
	if t&rawText != 0 || name == "title" || name == "textarea" {
		b.tokens.raw = name
	}
	var attributes []html.Attribute
	if more && b.left > 0 {
		attributes = b.attributes()
	}
	b.hidden = t&rawText != 0 && t&displayed == 0 && name != "noscript" && !isMetadata(name, attributes)
	b.scripts = b.scripts || b.hidden && name == "script"
	if !b.hidden && b.fits(name, t) {
		b.start(name, t, attributes)
	}
}

// fits reports whether the tree is not full. If it is, fits adds a line feed to the text in place of the tag of a block.
func (b *builder) fits(name string, t trait) bool {
	if b.left < 0 && (t&(special|closesP) != 0 || name == "br") {
		b.text.WriteByte('\n')
	}
	return b.left >= 0
}

// isMetadata reports whether an element is a script that contains metadata.
func isMetadata(name string, attributes []html.Attribute) bool {
	if name != "script" {
		return false
	}
	for _, a := range attributes {
		if a.Key == "type" {
			return strings.EqualFold(strings.TrimSpace(a.Val), "application/ld+json")
		}
	}
	return false
}

func (b *builder) addText() {
	if b.hidden || !b.foreign.displays() {
		return
	}
	text := b.tokens.Text()
	if b.tokens.raw == "noscript" && len(text) > maxNoscript {
		return
	}
	if !b.inBody && b.tokens.raw == "" {
		if text = bytes.TrimLeft(text, " \t\r\n\f"); len(text) == 0 {
			return
		}
		b.inBody = true
	}
	b.text.Write(text)
}

// attributes returns the attributes of the start tag.
func (b *builder) attributes() (all []html.Attribute) {
	for more := true; more; {
		var key, value []byte
		key, value, more = b.tokens.TagAttr()
		if len(key) > maxName {
			continue
		}
		if b.left -= attributeSize + len(key) + len(value); b.left < 0 {
			break
		}
		all = append(all, html.Attribute{Key: atom.String(key), Val: string(value)})
	}
	return all
}

// flush adds the pending text to the innermost open element.
func (b *builder) flush() {
	if b.text.Len() == 0 {
		return
	}
	b.top().AppendChild(&html.Node{Type: html.TextNode, Data: b.text.String()})
	b.left -= nodeSize
	b.text.Reset()
}

func (b *builder) top() *element { return &b.open[len(b.open)-1] }

// push appends an element to the innermost open one, and opens it unless it is void.
func (b *builder) push(name string, t trait, attributes []html.Attribute) {
	b.left -= nodeSize
	b.flush()
	if len(b.open) == maxDepth {
		b.pop(maxDepth - 1)
	}
	n := newElement(name)
	n.Attr = attributes
	b.top().AppendChild(n)
	b.enter(n, t)
}

// enter opens an element unless it is void.
func (b *builder) enter(n *html.Node, t trait) {
	if t&void == 0 {
		b.open = append(b.open, element{Node: n, traits: t})
		b.opened[n.Data]++
	}
}

// pop closes the open elements from an index on.
func (b *builder) pop(from int) {
	b.flush()
	for from > 2 && b.open[from-1].ended {
		from--
	}
	for _, e := range b.open[from:] {
		b.opened[e.Data]--
	}
	b.open = b.open[:from]
}
