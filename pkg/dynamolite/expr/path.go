package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// maxPathDepth is the maximum number of steps of a document path.
const maxPathDepth = 32

// Path is a document path, such as a.b[3].c. It has at least one step, the
// first of which is a name.
type Path []step

// step is a name in a map, or an index in a list. The parser keeps invalid steps,
// which later checks find, because DynamoDB reports other problems first.
type step struct {
	kind  stepKind
	name  string // byName: attribute name; otherwise the text in the expression
	index int    // byIndex
}

type stepKind uint8

const (
	byName stepKind = iota
	byIndex
	reservedWord
	undefinedName
	indexTooLarge
)

// Head returns the name of the top-level attribute in the path.
func (p Path) Head() string { return p[0].name }

// Nested reports whether the path goes below the top level of the item.
func (p Path) Nested() bool { return len(p) > 1 }

// String returns the path as DynamoDB's messages show it, such as "[a, b, [3], c]".
func (p Path) String() string {
	steps := make([]string, len(p))
	for i, s := range p {
		steps[i] = s.name
		if s.kind == byIndex {
			steps[i] = "[" + strconv.Itoa(s.index) + "]"
		}
	}
	return "[" + strings.Join(steps, ", ") + "]"
}

// find returns the value at p in item.
func (p Path) find(item attr.Item) (v attr.Value, ok bool) {
	v, ok = item.Get(p[0].name)
	for _, s := range p[1:] {
		if !ok {
			return attr.Value{}, false
		}
		v, ok = s.in(v)
	}
	return v, ok
}

// in returns the element of v at s.
func (s step) in(v attr.Value) (attr.Value, bool) {
	switch {
	case s.kind == byName && v.Kind == attr.M:
		return v.Map.Get(s.name)
	case s.kind == byIndex && v.Kind == attr.L && s.index < len(v.List):
		return v.List[s.index], true
	}
	return attr.Value{}, false
}

// fits reports whether s can be applied to a value of v's kind.
func (s step) fits(v attr.Value) bool {
	return s.kind == byName && v.Kind == attr.M || s.kind == byIndex && v.Kind == attr.L
}

// checkDistinct returns an error if one of paths is equal to or within another one, or if two of them
// use the same value as a map and as a list.
func checkDistinct(label string, paths []Path) error {
	for i, b := range paths {
		for _, a := range paths[:i] {
			what := clash(a, b)
			if what != "" {
				return invalid("Invalid " + label + ": Two document paths " + what +
					" with each other; must remove or rewrite one of these paths; path one: " +
					a.String() + ", path two: " + b.String())
			}
		}
	}
	return nil
}

func clash(a, b Path) string {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if a[i].kind != b[i].kind {
			return "conflict"
		}
		return ""
	}
	return "overlap"
}

// tree groups paths by their common steps.
type tree struct {
	branches []branch
	leaf     int // index of the path that ends here; only if branches is empty
}

type branch struct {
	step step
	tree *tree
}

// newTree returns the tree of paths, which checkDistinct must have accepted.
// Branches by index are in ascending order.
func newTree(paths []Path) *tree {
	root := &tree{}
	for i, p := range paths {
		at := root
		for _, s := range p {
			at = at.grow(s)
		}
		at.leaf = i
	}
	return root
}

func (t *tree) grow(s step) *tree {
	at := len(t.branches)
	for i, b := range t.branches {
		if b.step == s {
			return b.tree
		}
		if s.kind == byIndex && s.index < b.step.index {
			at = min(at, i)
		}
	}
	grown := &tree{}
	t.branches = slices.Insert(t.branches, at, branch{s, grown})
	return grown
}

// project returns the part of v that t's paths select; ok is false if they
// select nothing. Selected list elements keep their order, without gaps.
func (t *tree) project(v attr.Value) (part attr.Value, ok bool) {
	if len(t.branches) == 0 {
		return v, true
	}
	if !t.branches[0].step.fits(v) {
		return attr.Value{}, false
	}
	part.Kind = v.Kind
	if v.Kind == attr.M {
		part.Map = make(attr.Item, 0, len(t.branches))
	}
	for _, b := range t.branches {
		elem, found := b.step.in(v)
		if found {
			elem, found = b.tree.project(elem)
		}
		switch {
		case !found:
		case v.Kind == attr.M:
			part.Map = append(part.Map, attr.Attribute{Name: b.step.name, Value: elem})
		default:
			part.List = append(part.List, elem)
		}
	}
	part.Map = attr.ItemOf(part.Map...)
	return part, len(part.Map)+len(part.List) > 0
}
