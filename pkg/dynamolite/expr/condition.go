package expr

import (
	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// Kind is the request parameter of an expression, as named in messages.
type Kind string

// The parameters that contain a condition.
const (
	ConditionExpression Kind = "ConditionExpression"
	FilterExpression    Kind = "FilterExpression"
)

// Condition is a parsed condition or filter. The zero Condition always holds.
type Condition struct {
	parsedCondition
	values attr.Item
}

type parsedCondition struct {
	root  *node
	paths []Path
}

// ParseCondition parses src and performs all checks that do not need an item. Its
// error is an *attr.ValidationError.
func ParseCondition(scope *Scope, kind Kind, src string) (Condition, error) {
	parsed, err := recall(scope, string(kind), src, func() (parsedCondition, bool, error) {
		return parseCondition(scope, string(kind), src)
	})
	if err != nil {
		return Condition{}, err
	}
	return Condition{parsed, scope.values}, nil
}

func parseCondition(scope *Scope, label, src string) (parsed parsedCondition, constant bool, err error) {
	p := newParser(label, src, scope, conditionGrammar())
	root := p.or(false)
	p.end()
	c := checker{label: label, values: scope.values, err: p.err}
	c.place(root, true)
	c.bind(root)
	return parsedCondition{root, p.paths}, !c.byValue, c.err
}

// Paths returns every document path in the condition.
func (c Condition) Paths() []Path { return c.paths }

// Eval reports whether the condition holds for item; nil means that the item does not
// exist. A comparison with an attribute that is missing or of another type is false,
// except with <>, for which it is true.
func (c Condition) Eval(item attr.Item) bool {
	return c.root == nil || c.root.holds(operands{item, c.values})
}

// or reads a condition. If alone is true, it also accepts a single operand followed
// by a closing parenthesis, which is the left operand of a comparison after that
// parenthesis.
func (p *parser) or(alone bool) *node {
	left := p.and(alone)
	for p.take(tokOr) {
		p.operators++
		left = &node{op: opOr, args: []*node{left, p.and(false)}}
	}
	return left
}

func (p *parser) and(alone bool) *node {
	left := p.not(alone)
	for p.take(tokAnd) {
		p.operators++
		left = &node{op: opAnd, args: []*node{left, p.not(false)}}
	}
	return left
}

func (p *parser) not(alone bool) *node {
	if p.take(tokNot) {
		p.operators++
		return &node{op: opNot, args: []*node{p.not(false)}}
	}
	return p.term(alone)
}

// term reads a comparison, a call or a condition in parentheses.
func (p *parser) term(alone bool) *node {
	var left *node
	if p.take(tokOpen) {
		left = p.closeParen(p.or(true))
	} else {
		left = p.operand()
	}
	isOperand := left.op <= opValue || left.op >= opExists
	if !isOperand {
		return left
	}
	if o, ok := comparator(p.peek()); ok {
		p.take(p.peek())
		p.operators++
		return &node{op: o, args: []*node{left, p.operand()}}
	}
	switch {
	case p.take(tokBetween):
		p.operators++
		low := p.operand()
		p.expect(tokAnd)
		return &node{op: opBetween, args: []*node{left, low, p.operand()}}
	case p.take(tokIn):
		p.operators++
		p.expect(tokOpen)
		n := &node{op: opIn, args: append([]*node{left}, p.operands()...)}
		p.expect(tokClose)
		return n
	case left.op >= opExists, alone && p.peek() == tokClose:
		return left
	}
	p.failSyntax()
	return left
}
