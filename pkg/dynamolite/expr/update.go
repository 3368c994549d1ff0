package expr

import (
	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// Update is a parsed update expression. The zero Update changes nothing.
type Update struct {
	parsedUpdate
	values attr.Item
}

type parsedUpdate struct {
	actions []action
	targets []Path
	paths   []Path
	tree    *tree // the targets as a tree
}

type action struct {
	section tokenKind // tokSet, tokRemove, tokAdd or tokDelete
	path    Path
	value   *node // nil for REMOVE
}

// ParseUpdate parses src and performs all checks that do not need an item. Its
// error is an *attr.ValidationError.
func ParseUpdate(scope *Scope, src string) (Update, error) {
	const label = "UpdateExpression"
	parsed, err := recall(scope, label, src, func() (parsedUpdate, bool, error) {
		return parseUpdate(scope, label, src)
	})
	if err != nil {
		return Update{}, err
	}
	return Update{parsed, scope.values}, nil
}

func parseUpdate(scope *Scope, label, src string) (parsed parsedUpdate, constant bool, err error) {
	p := newParser(label, src, scope, updateGrammar())
	u := updateParser{parser: p}
	u.sections()
	p.end()
	c := updateChecker{checker{label: label, values: scope.values, err: p.err}}
	c.check(u)
	if c.err != nil {
		return parsedUpdate{}, false, c.err
	}
	up := parsedUpdate{actions: u.actions, paths: p.paths, targets: make([]Path, len(u.actions))}
	for i, a := range u.actions {
		up.targets[i] = a.path
	}
	up.tree = newTree(up.targets)
	return up, !c.byValue, nil
}

// Targets returns the document paths that the update writes or removes.
func (u Update) Targets() []Path { return u.targets }

// Paths returns every document path in the update, read or written.
func (u Update) Paths() []Path { return u.paths }

// Touched returns the part of item at the update's targets, as UPDATED_OLD and
// UPDATED_NEW return it. The result is never nil.
func (u Update) Touched(item attr.Item) attr.Item {
	if u.tree == nil {
		return attr.Item{}
	}
	return Projection{tree: u.tree}.Apply(item)
}

type updateParser struct {
	*parser
	actions  []action
	repeated tokenKind // the first section that is repeated
}

func (u *updateParser) sections() {
	seen := [tokDelete + 1]bool{}
	for first := true; u.err == nil && (first || u.peek() != tokEnd); first = false {
		section := u.peek()
		if section < tokSet || section > tokDelete {
			u.failSyntax()
			return
		}
		u.take(section)
		if seen[section] && u.repeated == 0 {
			u.repeated = section
		}
		seen[section] = true
		u.action(section)
		for u.take(tokComma) {
			u.action(section)
		}
	}
}

func (u *updateParser) action(section tokenKind) {
	a := action{section: section, path: u.path()}
	u.operators++
	switch section {
	case tokSet:
		u.expect(tokEqual)
		a.value = u.sum()
	case tokAdd, tokDelete:
		a.value = u.value()
	}
	u.actions = append(u.actions, a)
}

// sum reads an operand, or the sum or difference of two.
func (p *parser) sum() *node {
	left := p.operand()
	o := opPlus
	switch p.peek() {
	case tokPlus:
	case tokMinus:
		o = opMinus
	default:
		return left
	}
	p.take(p.peek())
	p.operators++
	return &node{op: o, args: []*node{left, p.operand()}}
}

func sectionName(section tokenKind) string {
	switch section {
	case tokSet:
		return "SET"
	case tokRemove:
		return "REMOVE"
	case tokAdd:
		return "ADD"
	}
	return "DELETE"
}

// updateChecker checks an update in DynamoDB's order: names and functions as
// written, repeated sections, overlapping targets, and then, from the last
// action to the first, placeholders and types.
type updateChecker struct{ checker }

func (c *updateChecker) check(u updateParser) {
	targets := make([]Path, len(u.actions))
	for i, a := range u.actions {
		targets[i] = a.path
		c.steps(a.path)
		if a.value != nil {
			c.placeFunctions(a.value)
		}
	}
	if u.repeated != 0 {
		c.fail(`The "` + sectionName(u.repeated) + `" section can only be used once in an update expression;`)
	}
	for _, target := range targets {
		c.names(target)
	}
	if c.err == nil {
		c.err = checkDistinct(c.label, targets)
	}
	for i := len(u.actions) - 1; i >= 0 && c.err == nil; i-- {
		c.action(u.actions[i])
	}
}

func (c *updateChecker) placeFunctions(n *node) {
	switch {
	case n.op == opPath:
		c.steps(n.path)
	case n.op == opUnknown:
		c.fail("Invalid function name; function: " + n.text)
	case n.op >= opExists && n.op < opIfNotExists:
		c.fail("The function is not allowed in an update expression; function: " + n.text)
	case n.op >= opIfNotExists:
		c.count(n)
	}
	for _, arg := range n.args {
		c.placeFunctions(arg)
	}
}

func (c *updateChecker) action(a action) {
	c.bind(&node{op: opPath, path: a.path})
	if a.value == nil {
		return
	}
	c.bind(a.value)
	kind := a.value.staticKind()
	if a.section == tokSet || c.err != nil || kind.IsSet() || a.section == tokAdd && kind == attr.N {
		return
	}
	section := sectionName(a.section)
	c.fail("Incorrect operand type for operator or function; operator: " + section +
		", operand type: " + longName(kind) + ", typeSet: ALLOWED_FOR_" + section + "_OPERAND")
}

// longName returns the name of a kind in messages about ADD and DELETE.
func longName(kind attr.Kind) string {
	switch kind {
	case attr.S:
		return "STRING"
	case attr.N:
		return "NUMBER"
	case attr.B:
		return "BINARY"
	case attr.BOOL:
		return "BOOLEAN"
	case attr.L:
		return "LIST"
	case attr.M:
		return "MAP"
	}
	return kind.String()
}
