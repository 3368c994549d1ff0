package expr

import (
	"math"
	"strconv"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

const (
	maxLength    = 4096 // length of an expression, in bytes
	maxOperators = 300  // number of operators and functions in an expression
	maxOperands  = 100  // number of right operands of IN
)

// parser reads one expression. After the first error, it is at the end of the
// source, and every further read fails without effect, so that only loops and the
// caller need to check err.
type parser struct {
	label     string // such as "UpdateExpression", for messages
	src       string
	scope     *Scope
	tokens    []token
	pos       int
	operators int
	paths     []Path // every path read
	grammar   grammar
	err       error
}

func newParser(label, src string, scope *Scope, g grammar) *parser {
	p := &parser{label: label, src: src, scope: scope, grammar: g}
	switch {
	case src == "":
		p.tokens = []token{{}}
		p.fail("The expression can not be empty;")
	case len(src) > maxLength:
		p.tokens = []token{{}}
		p.fail("Expression size has exceeded the maximum allowed size; expression size: " + strconv.Itoa(len(src)))
	default:
		p.tokens = lex(src, g)
	}
	return p
}

func (p *parser) fail(message string) {
	if p.err == nil {
		p.err = invalid("Invalid " + p.label + ": " + message)
	}
	p.pos = len(p.tokens) - 1
}

// failSyntax rejects the current token. The message shows it with the tokens
// before and after it.
func (p *parser) failSyntax() {
	if p.err != nil {
		return
	}
	at := p.tokens[p.pos]
	text := "<EOF>"
	if at.kind != tokEnd {
		text = p.src[at.start:at.end]
	}
	from := p.tokens[max(p.pos-1, 0)].start
	to := p.tokens[min(p.pos+1, len(p.tokens)-1)].end
	p.fail(`Syntax error; token: "` + text + `", near: "` + p.src[from:to] + `"`)
}

func (p *parser) peek() tokenKind { return p.tokens[p.pos].kind }

// take consumes the current token if it is of the given kind.
func (p *parser) take(kind tokenKind) bool {
	if p.err != nil || p.peek() != kind {
		return false
	}
	p.pos = min(p.pos+1, len(p.tokens)-1)
	return true
}

// expect consumes a token of the given kind and returns its text. Any other token is
// a syntax error.
func (p *parser) expect(kind tokenKind) string {
	at := p.tokens[p.pos]
	if !p.take(kind) {
		p.failSyntax()
		return ""
	}
	return p.src[at.start:at.end]
}

// end checks that the entire source has been read.
func (p *parser) end() {
	if p.peek() != tokEnd {
		p.failSyntax()
	}
	if p.operators > maxOperators {
		p.fail("The expression contains too many operators; operator count: " + strconv.Itoa(p.operators))
	}
}

func (p *parser) path() Path {
	path := Path{p.name()}
	for p.err == nil {
		switch {
		case p.take(tokDot):
			path = append(path, p.name())
		case p.take(tokOpenBracket):
			path = append(path, p.index())
			p.expect(tokCloseBracket)
		default:
			p.paths = append(p.paths, path)
			return path
		}
	}
	return path
}

func (p *parser) name() step {
	if p.peek() == tokName {
		placeholder := p.expect(tokName)
		if name, ok := p.scope.name(placeholder); ok {
			return step{kind: byName, name: name}
		}
		return step{kind: undefinedName, name: placeholder}
	}
	word := p.expect(tokWord)
	if isReserved(word) {
		return step{kind: reservedWord, name: word}
	}
	return step{kind: byName, name: word}
}

func (p *parser) index() step {
	digits := p.expect(tokNumber)
	i, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || i > math.MaxInt32 {
		return step{kind: indexTooLarge, name: digits}
	}
	return step{kind: byIndex, index: int(i)}
}

// operand reads a path, a value, a function call, or one of these in parentheses. In an update,
// parentheses can also contain arithmetic.
func (p *parser) operand() *node {
	switch p.peek() {
	case tokOpen:
		p.take(tokOpen)
		inner := (*node)(nil)
		if p.grammar == updateGrammar() {
			inner = p.sum()
		} else {
			inner = p.operand()
		}
		return p.closeParen(inner)
	case tokValue:
		return p.value()
	case tokWord:
		if p.tokens[p.pos+1].kind == tokOpen {
			return p.call()
		}
		return &node{op: opPath, path: p.path()}
	case tokName:
		return &node{op: opPath, path: p.path()}
	}
	p.failSyntax()
	return &node{}
}

// closeParen ends a pair of parentheses around inner. DynamoDB rejects a
// second pair directly around the first.
func (p *parser) closeParen(inner *node) *node {
	p.expect(tokClose)
	if inner.paren {
		p.fail("The expression has redundant parentheses;")
	}
	inner.paren = true
	return inner
}

func (p *parser) value() *node {
	placeholder := p.expect(tokValue)
	v, _ := p.scope.value(placeholder)
	return &node{op: opValue, kind: v.Kind, text: placeholder}
}

func (p *parser) call() *node {
	n := &node{text: p.expect(tokWord)}
	n.op = functionNamed(n.text)
	p.operators++
	p.expect(tokOpen)
	n.args = p.operands()
	p.expect(tokClose)
	return n
}

// operands reads one or more operands, separated by commas.
func (p *parser) operands() []*node {
	args := []*node{p.operand()}
	for p.take(tokComma) {
		args = append(args, p.operand())
	}
	return args
}

// node is an operand, an operator or a function call of an expression.
type node struct {
	op    op
	paren bool // whether it was in parentheses
	args  []*node
	path  Path      // opPath: the document path
	kind  attr.Kind // opValue: the kind of the value; Invalid if the placeholder is undefined
	text  string    // opValue: the placeholder; functions: the name
}
