package records

import (
	"fmt"
	"strings"
)

// ParseFilter parses a filter on records with these columns. The error is a *FilterError.
func ParseFilter(text string, columns []Column) (*Filter, error) {
	if len(text) > MaxFilter {
		return nil, &FilterError{MaxFilter, fmt.Sprintf("longer than %d bytes", MaxFilter)}
	}
	p := &filterParser{text: text, all: columns, filter: &Filter{text: text}}
	if err := p.next(); err != nil {
		return nil, err
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.token.kind != end {
		return nil, p.fail(fmt.Sprintf("expected and, or, or the end, not %q", p.token.text))
	}
	p.filter.root = root
	return p.filter, nil
}

type tokenKind int

const (
	end tokenKind = iota
	word
	quoted
	operator
)

type token struct {
	kind tokenKind
	text string
	at   int
}

type filterParser struct {
	text   string
	at     int
	token  token
	depth  int
	all    []Column
	filter *Filter
}

func (p *filterParser) fail(problem string) error { return &FilterError{p.token.at, problem} }

const special = " \t\r\n<>=!~()&|\"'"

// next reads the next token.
func (p *filterParser) next() error {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	rest := p.text[p.at:]
	p.token = token{end, "", p.at}
	if rest == "" {
		return nil
	}
	for _, op := range []string{"<=", ">=", "!=", "!~", "&&", "||", "==", "<>", "<", ">", "=", "~", "!", "(", ")"} {
		if strings.HasPrefix(rest, op) {
			p.token.kind, p.token.text = operator, op
			p.at += len(op)
			return nil
		}
	}
	switch c := rest[0]; c {
	case '"', '\'':
		n := strings.IndexByte(rest[1:], c)
		if n < 0 {
			return p.fail(fmt.Sprintf("no closing %c", c))
		}
		p.token.kind, p.token.text = quoted, rest[1:1+n]
		p.at += n + 2
	case '&', '|':
		return p.fail(fmt.Sprintf("expected %c%c", c, c))
	default:
		n := strings.IndexAny(rest, special)
		if n < 0 {
			n = len(rest)
		}
		p.token.kind, p.token.text = word, rest[:n]
		p.at += n
	}
	return nil
}

// is reports whether the token is one of these operators, or one of these words, ignoring case.
func (p *filterParser) is(names ...string) bool {
	for _, name := range names {
		if p.token.kind == operator && p.token.text == name || p.token.kind == word && strings.EqualFold(p.token.text, name) {
			return true
		}
	}
	return false
}

func (p *filterParser) or() (condition, error) {
	return p.chain(p.and, func(list []condition) condition { return anyOf(list) }, "or", "||")
}

func (p *filterParser) and() (condition, error) {
	return p.chain(p.not, func(list []condition) condition { return allOf(list) }, "and", "&&")
}

// chain parses one operand, or several that are separated by one of the operators.
func (p *filterParser) chain(operand func() (condition, error), join func([]condition) condition, operators ...string) (condition, error) {
	var list []condition
	for {
		one, err := operand()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if !p.is(operators...) {
			break
		}
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return join(list), nil
}

func (p *filterParser) not() (condition, error) {
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > maxFilterDepth:
		return nil, p.fail(fmt.Sprintf("more than %d levels", maxFilterDepth))
	case p.is("not", "!"):
		if err := p.next(); err != nil {
			return nil, err
		}
		of, err := p.not()
		return negated{of}, err
	case p.is("("):
		if err := p.next(); err != nil {
			return nil, err
		}
		inner, err := p.or()
		if err != nil {
			return nil, err
		}
		if !p.is(")") {
			return nil, p.fail("expected )")
		}
		return inner, p.next()
	default:
		return p.comparison()
	}
}

func (p *filterParser) comparison() (condition, error) {
	if p.token.kind != word && p.token.kind != quoted || p.token.kind == word && p.is("and", "or") {
		if p.token.kind == end {
			return nil, p.fail("expected the name of a field")
		}
		return nil, p.fail(fmt.Sprintf("expected the name of a field, not %q", p.token.text))
	}
	all, _ := Find(p.token.text, p.all)
	column, err := p.column()
	if err != nil {
		return nil, err
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	if !p.is("<", "<=", ">", ">=", "=", "==", "!=", "<>", "~", "!~") || p.token.kind != operator {
		return present{column}, nil
	}
	op := p.token.text
	switch op {
	case "==":
		op = "="
	case "<>":
		op = "!="
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.token.kind != word && p.token.kind != quoted {
		return nil, p.fail("expected a value after " + op)
	}
	c, problem := compare(column, op, p.token, all.Decimal)
	if problem != "" {
		return nil, p.fail(problem)
	}
	return c, p.next()
}

// column resolves the current name to an index in the row of values.
func (p *filterParser) column() (int, error) {
	key, found := resolve(p.token.text, p.all)
	if !found {
		return 0, p.fail((&UnknownFieldError{p.token.text, p.all}).Error())
	}
	for i, have := range p.filter.columns {
		if have == key {
			return i, nil
		}
	}
	p.filter.columns = append(p.filter.columns, key)
	return len(p.filter.columns) - 1, nil
}

// Find returns the column with a name, according to the rules of a Filter.
func Find(name string, columns []Column) (Column, bool) {
	key, found := resolve(name, columns)
	for _, c := range columns {
		if (columnKey{c.Name, c.Property}) == key {
			return c, found
		}
	}
	return Column{Name: key.name, Property: key.property, Type: Text}, found
}

func resolve(name string, columns []Column) (columnKey, bool) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, property := range []bool{false, true} {
			for _, c := range columns {
				if c.Property == property && same(c.Name, name) {
					return columnKey{c.Name, property}, true
				}
			}
		}
		for _, key := range []columnKey{nameKey, errorKey} {
			if same(key.name, name) {
				return key, true
			}
		}
	}
	return columnKey{}, false
}
