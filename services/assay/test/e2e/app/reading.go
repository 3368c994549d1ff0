package app

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// spoken is a part of the page as a screen reader reads it: one node of the accessibility tree.
type spoken struct {
	role, name string
	level      int    // of a heading
	live       string // the kind of the live region that begins here
	depth      int
	states     []string
}

func (s spoken) String() string {
	words := s.role
	if s.level > 0 {
		words += fmt.Sprint(" ", s.level)
	}
	if s.name != "" {
		words += fmt.Sprintf(" %q", s.name)
	}
	if len(s.states) > 0 {
		words += " " + strings.Join(s.states, " ")
	}
	return words
}

// silent are the roles that a screen reader does not announce.
var silent = map[string]bool{
	"": true, "none": true, "generic": true, "RootWebArea": true, "InlineTextBox": true, "Iframe": true, "LineBreak": true,
	"LayoutTable": true, "LayoutTableRow": true, "LayoutTableCell": true, "paragraph": true, "ListMarker": true, "rowgroup": true,
	"LabelText": true, "strong": true, "emphasis": true, "time": true, "code": true, "sectionheader": true, "MenuListPopup": true,
}

// controls are the roles that need a name; their content is read as their name.
var controls = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "checkbox": true, "radio": true, "tab": true,
	"menuitem": true, "slider": true, "switch": true, "spinbutton": true, "image": true, "progressbar": true, "Date": true, "option": true,
}

// containers are the other roles that need a name.
var containers = map[string]bool{"dialog": true, "navigation": true, "region": true, "tablist": true, "listbox": true}

// named are the other roles whose content is read as their name, and cells those whose name is their content.
var (
	named = map[string]bool{"heading": true, "columnheader": true, "rowheader": true, "term": true, "DisclosureTriangle": true}
	cells = map[string]bool{"cell": true, "gridcell": true, "row": true, "listitem": true}
)

// read returns what a screen reader reads from the beginning of the page to its end.
func (p *Page) read(t *testing.T) []spoken {
	t.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(tree.Nodes))
	for _, node := range tree.Nodes {
		byID[node.NodeID] = node
	}
	var all []spoken
	var visit func(node *accessibility.Node, depth int, within *spoken)
	visit = func(node *accessibility.Node, depth int, within *spoken) {
		next := within
		if role := valueOf[string](node.Role); !node.Ignored && !silent[role] {
			s := spoken{role: role, name: strings.Join(strings.Fields(valueOf[string](node.Name)), " "), depth: depth}
			if cells[role] {
				s.name = "" // its content
			}
			s.properties(node.Properties)
			last := len(all) - 1
			switch {
			case role == "StaticText" && (s.name == "" || within != nil && strings.Contains(within.name, s.name)): // has been read
			case role == "StaticText" && last >= 0 && all[last].role == role && all[last].depth == depth:
				all[last].name += " " + s.name
			default:
				all = append(all, s)
				depth++
			}
			next = nil
			if named[role] || controls[role] {
				next = &s
			}
		}
		for _, id := range node.ChildIDs {
			if child := byID[id]; child != nil {
				visit(child, depth, next)
			}
		}
	}
	if len(tree.Nodes) > 0 {
		visit(tree.Nodes[0], 0, nil)
	}
	return all
}

// properties adds the states that are read with a name.
func (s *spoken) properties(properties []*accessibility.Property) {
	for _, property := range properties {
		switch name := property.Name; name {
		case accessibility.PropertyNameLevel:
			if s.role == "heading" {
				s.level = valueOf[int](property.Value)
			}
		case accessibility.PropertyNameLive:
			s.live = valueOf[string](property.Value)
		case accessibility.PropertyNameExpanded, accessibility.PropertyNameSelected, accessibility.PropertyNameDisabled:
			if valueOf[bool](property.Value) {
				s.states = append(s.states, string(name))
			}
		case accessibility.PropertyNamePressed, accessibility.PropertyNameChecked:
			if valueOf[string](property.Value) == "true" {
				s.states = append(s.states, string(name))
			}
		}
	}
}

// valueOf returns a value of the accessibility tree, or the zero value if there is none of that type.
func valueOf[T any](v *accessibility.Value) (value T) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &value) // a value of another type
	}
	return value
}

var nonsense = regexp.MustCompile(`\b(undefined|NaN|Infinity|null)\b|\[object `)

// Reading checks the page in the order in which a screen reader reads it: there are the landmarks, headings skip no level,
// every control has a name, and nothing is read twice in a row.
func (p *Page) Reading(t *testing.T, state string) {
	t.Helper()
	all := p.read(t)
	wrong := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s is read wrongly: %s", state, fmt.Sprintf(format, args...))
	}
	dialog := slices.ContainsFunc(all, func(s spoken) bool { return s.role == "dialog" })
	count, names := map[string]int{}, map[string]bool{}
	level, before := 0, spoken{}
	for _, s := range all {
		count[s.role]++
		switch s.role {
		case "heading":
			if s.level == 1 {
				count["h1"]++
			}
			if s.level > level+1 && !dialog {
				wrong("heading %q of level %d follows one of level %d", s.name, s.level, level)
			}
			level = s.level
		case "navigation", "region", "complementary", "form", "search":
			if key := s.role + " " + s.name; names[key] {
				wrong("there are two landmarks %s", s)
			} else {
				names[key] = true
			}
		}
		if (controls[s.role] || containers[s.role]) && !strings.ContainsFunc(s.name, func(r rune) bool { return r > ' ' }) {
			wrong("a %s after %s has no name", s.role, before)
		}
		if nonsense.MatchString(s.name) {
			wrong("%s", s)
		}
		if s.role == before.role && s.name == before.name && s.name != "" && (controls[s.role] || s.role == "heading") {
			wrong("%s is read twice", s)
		}
		before = s
	}
	framed := count["banner"] == 1 && count["navigation"] > 0 // the pages of the sign-in have neither
	if !dialog && (count["main"] != 1 || count["h1"] != 1 || !framed && count["banner"]+count["navigation"] > 0) {
		wrong("want one main, one heading of level 1, and one banner with a navigation or none, got %v", count)
	}
}
