package webpage

import "golang.org/x/net/html"

// These sets contain elements of drawings and formulas, and elements of HTML inside them.
var (
	// drawingText lists the elements of drawings whose text is displayed.
	drawingText = set("text foreignobject")
	// concealed lists the elements whose text is not displayed.
	concealed = set(`annotation annotation-xml clippath defs desc iframe marker mask metadata noscript pattern script select style symbol
		template textarea title`)
)

// foreign skips the elements of drawings (svg) and formulas (math), including HTML inside them.
type foreign struct {
	name      string // the outermost element; "" outside
	depth     int    // elements with this name that are open
	inner     int    // elements that contain HTML and are open
	text      nested // an element of drawingText
	concealed nested // an element of concealed
}

// nested is an open element that may contain others with its name.
type nested struct {
	name  string // "" if none is open
	depth int
}

func (n *nested) start(name string, of map[string]bool) {
	switch {
	case n.name == "" && of[name]:
		*n = nested{name, 1}
	case n.name == name:
		n.depth++
	}
}

func (n *nested) end(name string) {
	if n.name != name {
		return
	}
	if n.depth--; n.depth == 0 {
		*n = nested{}
	}
}

// displays reports whether text is displayed.
func (f *foreign) displays() bool {
	return f.name == "" || f.concealed.name == "" && (f.name == "math" || f.text.name != "")
}

// skips processes a tag and reports whether it belongs to a drawing or formula.
func (f *foreign) skips(t *tokens, kind html.TokenType, name string) bool {
	if f.name == "" {
		if kind == html.EndTagToken || name != "svg" && name != "math" {
			return false
		}
		if kind == html.StartTagToken {
			*f = foreign{name: name, depth: 1}
		}
		return true
	}
	switch {
	case kind == html.StartTagToken && f.inner == 0 && breaksOut[name]:
		*f = foreign{}
		return false
	case kind == html.SelfClosingTagToken:
	case kind == html.StartTagToken:
		f.start(t, name)
	default:
		f.end(name)
	}
	return true
}

func (f *foreign) start(t *tokens, name string) {
	f.text.start(name, drawingText)
	f.concealed.start(name, concealed)
	if name == f.name {
		f.depth++
	}
	if containsHTML[name] {
		f.inner++
	}
	if traits[name]&rawText != 0 || name == "title" || name == "textarea" {
		t.NextIsNotRawText()
	}
}

func (f *foreign) end(name string) {
	f.text.end(name)
	f.concealed.end(name)
	switch {
	case name == f.name:
		if f.depth--; f.depth == 0 {
			*f = foreign{}
		}
	case containsHTML[name] && f.inner > 0:
		f.inner--
	}
}
