package webpage

import (
	"strings"

	"golang.org/x/net/html"
)

// undisplayed lists the elements that a browser does not display, at least not as text. The readings of ruby texts are
// among them, because they divide words.
var undisplayed = set(`area audio base basefont bgsound canvas col datalist embed frame frameset head iframe input link math meta meter
	noembed noframes noscript param progress rp rt rtc script source style svg template textarea title track video`)

// lines lists the elements that begin and end a line of the text, besides those that end a paragraph.
var lines = set("body br caption html legend marquee optgroup option plaintext select tbody tfoot thead tr xmp")

// view is how a browser with scripts displays the content of an element, as far as the elements themselves say so: the
// style sheets of the page are not applied.
type view struct {
	none   bool // it is not displayed
	hidden bool // its text is not displayed, except in elements that are visible again
	pre    bool // white space is preserved
	ruby   bool // it is inside a ruby text
	block  bool // it begins and ends a line
}

// of returns the view of an element inside v. The elements html and body are always displayed: pages hide them until a
// script has run. So is the content of a closed details element, which readers can open, and of "until-found".
func (v view) of(n *html.Node) view {
	v.none = false
	v.block = traits[n.Data]&closesP != 0 || lines[n.Data]
	switch n.Data {
	case "html", "body":
		return v
	case "pre", "listing", "xmp", "plaintext":
		v.pre = true
	case "ruby":
		v.ruby = true
	case "dialog":
		v.none = !has(n, "open")
	case "template": // the content of a shadow tree, also as browsers store it in an archive
		v.none = !has(n, "shadowrootmode") && !has(n, "shadowmode")
		return v
	}
	if undisplayed[n.Data] || n.Namespace != "" {
		v.none = true
		return v
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			v.none = v.none || !strings.EqualFold(a.Val, "until-found")
		case "popover":
			v.none = true
		}
	}
	v.apply(attribute(n, "style"))
	return v
}

// apply applies the declarations of a style attribute.
func (v *view) apply(style string) {
	for style != "" {
		var declaration string
		declaration, style, _ = strings.Cut(style, ";")
		property, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(strings.ToLower(value), "!")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(property)) {
		case "display":
			v.none = value == "none"
			switch value {
			case "block", "flex", "grid", "table", "flow-root", "list-item", "table-row":
				v.block = true
			}
		case "visibility":
			switch value {
			case "hidden", "collapse":
				v.hidden = true
			case "visible":
				v.hidden = false
			}
		case "white-space":
			v.pre = strings.HasPrefix(value, "pre")
		}
	}
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}
