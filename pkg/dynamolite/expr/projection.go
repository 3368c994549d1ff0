package expr

import "github.com/assay-project/assay/pkg/dynamolite/attr"

// Projection is a parsed projection expression. The zero Projection selects
// entire items.
type Projection struct {
	tree  *tree
	paths []Path
}

// ParseProjection parses src. Its error is an *attr.ValidationError.
func ParseProjection(scope *Scope, src string) (Projection, error) {
	p := newParser("ProjectionExpression", src, scope, projectionGrammar())
	p.path()
	for p.take(tokComma) {
		p.path()
	}
	p.end()
	c := checker{label: p.label, err: p.err}
	for _, path := range p.paths {
		c.steps(path)
	}
	for _, path := range p.paths {
		c.bind(&node{op: opPath, path: path})
	}
	if c.err == nil {
		c.err = checkDistinct(p.label, p.paths)
	}
	if c.err != nil {
		return Projection{}, c.err
	}
	return Projection{newTree(p.paths), p.paths}, nil
}

// Paths returns the projection's document paths.
func (p Projection) Paths() []Path { return p.paths }

// Apply returns the part of item that the projection's paths select: never
// nil, and item itself for the zero Projection.
func (p Projection) Apply(item attr.Item) attr.Item {
	if p.tree == nil {
		return item
	}
	part, ok := p.tree.project(attr.Map(item))
	if !ok {
		return attr.Item{}
	}
	return part.Map
}
