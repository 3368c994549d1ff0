package webpage

import "golang.org/x/net/html"

// foreign skips drawings (svg) and formulas (math), including HTML inside them.
type foreign struct {
	name  string // the outermost element; "" outside
	depth int    // elements with this name that are open
	inner int    // elements that contain HTML and are open
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
		if name == f.name {
			f.depth++
		}
		if containsHTML[name] {
			f.inner++
		}
		if traits[name]&rawText != 0 || name == "title" || name == "textarea" {
			t.NextIsNotRawText()
		}
	case name == f.name:
		if f.depth--; f.depth == 0 {
			*f = foreign{}
		}
	case containsHTML[name] && f.inner > 0:
		f.inner--
	}
	return true
}
