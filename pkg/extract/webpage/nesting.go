package webpage

import (
	"slices"

	"golang.org/x/net/html"
)

// start processes a start tag: it closes the elements that the tag ends implicitly, and opens the new one.
func (b *builder) start(name string, t trait, attributes []html.Attribute) {
	switch name {
	case "html":
		merge(b.open[0].Node, attributes)
		return
	case "head":
		return
	case "body":
		b.inBody = true
		merge(b.open[1].Node, attributes)
		return
	case "image":
		name, t = "img", traits["img"]
	}
	if !b.inBody && t&inHead != 0 {
		b.startInHead(name, t, attributes)
		return
	}
	b.inBody = true
	if t&closesP != 0 {
		b.close(boundary, "p")
	}
	switch name {
	case "li":
		b.closeItem("li")
	case "dd", "dt":
		b.closeItem("dd", "dt")
	case "h1", "h2", "h3", "h4", "h5", "h6":
		b.closeTop("h1", "h2", "h3", "h4", "h5", "h6")
	case "option":
		b.closeTop("option")
	case "optgroup":
		b.closeTop("option")
		b.closeTop("optgroup")
	case "rb", "rp", "rt", "rtc":
		b.closeTop("rb", "rp", "rt")
	case "a":
		b.close(boundary, "a")
	case "button", "select":
		b.close(boundary, name)
	case "input", "textarea":
		b.close(boundary, "select")
	case "table":
		if i := b.find(boundary); b.open[i].Data == "table" { // not in a cell
			b.pop(i)
		}
	}
	if t&tablePart != 0 && !b.closeRows(name) {
		return
	}
	b.push(name, t, attributes)
}

// startInHead adds an element to the head.
func (b *builder) startInHead(name string, t trait, attributes []html.Attribute) {
	b.left -= nodeSize
	b.flush()
	n := newElement(name)
	n.Attr = attributes
	b.head.AppendChild(n)
	b.enter(n, t)
}

// merge adds the attributes that an element does not have.
func merge(n *html.Node, attributes []html.Attribute) {
	if len(n.Attr) == 0 { // the tag is rarely repeated
		n.Attr = attributes
	}
}

// end processes an end tag.
func (b *builder) end(name string, t trait) {
	switch {
	case name == "html" || name == "body" || name == "head" || t&void != 0 && name != "br":
	case name == "br":
		b.push(name, t, nil)
	case name == "p":
		if i := b.find(boundary, "p"); b.open[i].Data != "p" {
			b.push(name, t, nil) // separates the texts before and after it
		}
		b.close(boundary, name)
	case name == "h1" || name == "h2" || name == "h3" || name == "h4" || name == "h5" || name == "h6":
		b.close(boundary, "h1", "h2", "h3", "h4", "h5", "h6")
	case t&tablePart != 0 || name == "table":
		b.closeInTable(name)
	case t&formatting != 0:
		b.endFormatting(name)
	case t&special != 0:
		b.close(boundary, name)
	default:
		b.close(special, name)
	}
}

// find returns the index of the innermost open element that has one of the traits or names. The first element, html, has
// the trait boundary; without another match, find returns its index.
func (b *builder) find(t trait, names ...string) int {
	for i := len(b.open) - 1; i > 0; i-- {
		if b.open[i].traits&t != 0 || slices.Contains(names, b.open[i].Data) {
			return i
		}
	}
	return 0
}

// close closes the innermost open element with one of the names, unless it is outside an element with one of the traits.
func (b *builder) close(outside trait, names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return b.opened[name] > 0 }) {
		return // without a search of all open elements
	}
	if i := b.find(outside, names...); i > 1 && slices.Contains(names, b.open[i].Data) {
		b.pop(i)
	}
}

// closeTop closes the innermost open element if it has one of the names.
func (b *builder) closeTop(names ...string) {
	if slices.Contains(names, b.top().Data) {
		b.pop(len(b.open) - 1)
	}
}

// closeItem closes the list item that precedes another one.
func (b *builder) closeItem(names ...string) {
	for i := len(b.open) - 1; i > 1; i-- {
		e := &b.open[i]
		if slices.Contains(names, e.Data) {
			b.pop(i)
			return
		}
		if e.traits&special != 0 && e.Data != "address" && e.Data != "div" && e.Data != "p" {
			return
		}
	}
}

// closeRows closes the cell, row or group that a part of a table ends. It returns false outside a table.
func (b *builder) closeRows(name string) bool {
	keep := []string{"table", "template"}
	switch name {
	case "tr":
		keep = append(keep, "tbody", "thead", "tfoot")
	case "td", "th":
		keep = append(keep, "tbody", "thead", "tfoot", "tr")
	case "col":
		keep = append(keep, "colgroup")
	}
	i := b.find(0, keep...)
	if i < 2 {
		return false
	}
	b.pop(i + 1)
	return true
}

// closeInTable closes a table or a part of one.
func (b *builder) closeInTable(name string) {
	if i := b.find(0, name, "table", "template"); i > 1 && b.open[i].Data == name {
		b.pop(i)
	}
}

// endFormatting closes a formatting element. If another element was opened inside it, the formatting element ends after
// that one: the text is the same as that of the tree that a browser builds, only its formatting may differ.
func (b *builder) endFormatting(name string) {
	i := b.find(boundary, name)
	if i < 2 || b.open[i].Data != name {
		return
	}
	for j := i + 1; j < len(b.open); j++ {
		if b.open[j].traits&special != 0 {
			b.open[i].ended = true
			return
		}
	}
	b.pop(i)
}
