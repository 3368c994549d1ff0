package syndication

import (
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
)

const (
	// maxDepth is the maximum number of elements within each other. The tags of deeper ones are ignored.
	maxDepth = 256
	// maxEntries is the number of entries after which the rest of a document is not read.
	maxEntries = 20_000
)

// frame is an open element.
type frame struct {
	name, written string // as scope.name returns it, and as in the document
	base          string // the URL to which xml:base makes links relative, or an empty string
	scope         scope
}

// elements reads the elements of a feed in RSS or Atom.
type elements struct {
	tokens *tokens
	at     *url.URL // of the document
	open   []frame
	// construct is the one that is being read, or nil.
	construct *construct
	entry     *fields // the open entry, or nil
	inEntry   int     // the number of open elements at the start of its content
	root      string  // the name of the first element of a feed
	channel   fields
	entries   []fields
	damaged   bool
}

// read reads the document. It reports whether the document has the root element of a feed.
func (e *elements) read() bool {
	for {
		switch token := e.tokens.next().(type) {
		case xml.StartElement:
			e.start(token)
		case xml.EndElement:
			e.end(token)
		case xml.CharData:
			if e.construct != nil {
				e.construct.write(string(token))
			}
		case nil:
			e.construct = nil // the document ends within it
			e.closeEntry(false)
			e.damaged = e.damaged || len(e.open) > 0 || e.tokens.damages > 0
			return e.root != ""
		}
	}
}

func (e *elements) start(tag xml.StartElement) {
	f := frame{written: written(tag.Name)}
	if outer := len(e.open) - 1; outer >= 0 {
		f.base, f.scope = e.open[outer].base, e.open[outer].scope
	}
	f.scope = f.scope.within(tag.Attr)
	f.name = f.scope.name(tag.Name)
	if base := attr(tag.Attr, "base"); base != "" {
		f.base = e.join(f.base, base)
	}
	if name := strings.TrimPrefix(f.name, "rdf:"); e.root == "" && (name == "rss" || name == "rdf" || name == "feed") {
		e.root = name
	}
	if len(e.open) >= maxDepth {
		return
	}
	switch {
	case (f.name == "item" || f.name == "entry") && !e.embedded():
		e.closeEntry(false) // one that is still open lacks its end tag
		e.entry, e.construct, e.inEntry = &fields{id: about(tag.Attr)}, nil, len(e.open)+1
	case e.construct != nil && e.construct.name == "author" && f.name == "name":
		e.begin(f, tag.Attr, "author")
	case e.construct != nil:
		e.construct.tag("<", tag.Name.Local)
	case f.name == "link" && e.direct() != nil && href(tag.Attr) != "":
		e.direct().addLink(tag.Attr, f.base)
	case e.direct() != nil && isField(f.name), e.entry != nil && f.name == "media:title":
		e.begin(f, tag.Attr, f.name)
	}
	e.open = append(e.open, f)
}

// embedded reports whether an item or entry that starts is part of the content of an entry, or of an extension.
func (e *elements) embedded() bool {
	if e.entry == nil {
		return false
	}
	return e.construct != nil && e.construct.embeds() || slices.ContainsFunc(e.open[min(e.inEntry, len(e.open)):], func(f frame) bool {
		return strings.Contains(f.name, ":") && !strings.HasPrefix(f.name, "xhtml:")
	})
}

// direct returns the entry or the channel whose child the next element is, or nil.
func (e *elements) direct() *fields {
	switch depth := len(e.open); {
	case e.entry != nil && depth == e.inEntry:
		return e.entry
	case e.entry == nil && depth > 0 && (e.open[depth-1].name == "channel" || e.open[depth-1].name == "feed"):
		return &e.channel
	}
	return nil
}

func (e *elements) begin(f frame, attrs []xml.Attr, name string) {
	e.construct = &construct{name: name, attrs: attrs, base: f.base, depth: len(e.open)}
}

// end closes an element, and those within that lack their end tags. It ignores the end tag of an element that is not open.
func (e *elements) end(tag xml.EndElement) {
	name, at := written(tag.Name), len(e.open)-1
	for ; at >= 0 && !strings.EqualFold(e.open[at].written, name); at-- {
	}
	if at < 0 {
		return
	}
	switch c := e.construct; {
	case c == nil:
	case c.depth < at:
		c.tag("</", tag.Name.Local)
	default:
		e.construct = nil
		to := &e.channel
		if e.entry != nil {
			to = e.entry
		}
		to.set(c, e.root == "feed")
	}
	e.open = e.open[:at]
	if e.entry != nil && at < e.inEntry {
		e.closeEntry(at == e.inEntry-1)
	}
}

// closeEntry ends the open entry. Without its end tag, it is an entry only if it has a title, and an id or a link.
func (e *elements) closeEntry(whole bool) {
	if e.entry == nil {
		return
	}
	e.damaged = e.damaged || !whole
	if whole || e.entry.title != "" && (e.entry.id != "" || e.entry.link != "") {
		e.entries = append(e.entries, *e.entry)
		e.tokens.cut = e.tokens.cut || len(e.entries) == maxEntries
	}
	e.entry = nil
	e.open = e.open[:min(len(e.open), e.inEntry-1)]
}

// join resolves the value of xml:base.
func (e *elements) join(outer, base string) string {
	from := e.at
	if outer != "" {
		if u, err := url.Parse(outer); err == nil {
			from = u
		}
	}
	if u, err := from.Parse(base); err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) {
		return u.String()
	}
	return outer
}

// about returns the URI of an entry of RSS 1.0, or an empty string.
func about(attrs []xml.Attr) string {
	for _, a := range attrs {
		if a.Name.Space != "" && strings.EqualFold(a.Name.Local, "about") {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

func written(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}
