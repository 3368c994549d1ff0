package crystal

import "strings"

type tokenKind int

const (
	end tokenKind = iota
	tag
	value
	loopHead
	dataHead
	saveHead
	reserved // global_ and stop_
)

type token struct {
	kind tokenKind
	text string // without the quotes of a quoted value
	line int
}

// lexer splits a CIF into tokens.
type lexer struct {
	text string
	at   int
	line int
	two  bool // CIF 2.0: lists, tables and triple quotes
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// next returns the next token.
func (x *lexer) next() (token, error) {
	for x.at < len(x.text) {
		switch c := x.text[x.at]; {
		case c == '\n':
			x.line++
			x.at++
		case blank(c):
			x.at++
		case c == '#':
			if n := strings.IndexByte(x.text[x.at:], '\n'); n >= 0 {
				x.at += n
			} else {
				x.at = len(x.text)
			}
		case c == ';' && (x.at == 0 || x.text[x.at-1] == '\n' || x.text[x.at-1] == '\r'):
			return x.textField()
		case x.two && (c == '[' || c == '{'):
			return x.bracketed()
		case c == '\'' || c == '"':
			if mark := strings.Repeat(string(c), 3); x.two && strings.HasPrefix(x.text[x.at:], mark) {
				return x.tripled(mark)
			}
			return x.quoted(c)
		default:
			return x.bare(), nil
		}
	}
	return token{end, "the end", x.line}, nil
}

func (x *lexer) bare() token {
	from := x.at
	for x.at < len(x.text) && !blank(x.text[x.at]) {
		x.at++
	}
	t := token{value, x.text[from:x.at], x.line}
	lower := t.text
	if len(lower) <= 80 {
		lower = strings.ToLower(lower)
	}
	switch {
	case lower[0] == '_':
		t.kind = tag
	case lower == "loop_":
		t.kind = loopHead
	case strings.HasPrefix(strings.ToLower(lower[:min(5, len(lower))]), "data_"):
		t.kind = dataHead
	case strings.HasPrefix(strings.ToLower(lower[:min(5, len(lower))]), "save_"):
		t.kind = saveHead
	case lower == "global_", lower == "stop_":
		t.kind = reserved
	}
	return t
}

// quoted reads a quoted value. In CIF 1.1, a quote ends the value only before whitespace or the end of the file.
func (x *lexer) quoted(quote byte) (token, error) {
	t := token{value, "", x.line}
	for i := x.at + 1; i < len(x.text) && x.text[i] != '\n'; i++ {
		if x.text[i] == quote && (x.two || i+1 == len(x.text) || blank(x.text[i+1])) {
			t.text = x.text[x.at+1 : i]
			x.at = i + 1
			return t, nil
		}
	}
	t.text, _, _ = strings.Cut(x.text[x.at:], "\n")
	p := parser{}
	return t, p.fail(t, "has no closing quote")
}

// textField reads the lines between two semicolons at the beginning of lines.
func (x *lexer) textField() (token, error) {
	t := token{value, "", x.line}
	n := strings.Index(x.text[x.at:], "\n;")
	if n < 0 {
		t.text, _, _ = strings.Cut(x.text[x.at:], "\n")
		p := parser{}
		return t, p.fail(t, "begins a text field that has no end")
	}
	t.text = strings.TrimSpace(x.text[x.at+1 : x.at+n])
	x.line += strings.Count(x.text[x.at:x.at+n+2], "\n")
	x.at += n + 2
	return t, nil
}

// tripled reads a value of CIF 2.0 in triple quotes.
func (x *lexer) tripled(mark string) (token, error) {
	t := token{value, "", x.line}
	text, _, found := strings.Cut(x.text[x.at+len(mark):], mark)
	if !found {
		t.text, _, _ = strings.Cut(x.text[x.at:], "\n")
		p := parser{}
		return t, p.fail(t, "has no closing quotes")
	}
	t.text = text
	x.line += strings.Count(text, "\n")
	x.at += len(text) + 2*len(mark)
	return t, nil
}

// bracketed reads a list or a table of CIF 2.0 as its text. Brackets in quoted values do not count.
func (x *lexer) bracketed() (token, error) {
	t := token{value, "", x.line}
	from, depth := x.at, 0
	for x.at < len(x.text) {
		switch c := x.text[x.at]; c {
		case '\'', '"':
			read := x.quoted
			if mark := strings.Repeat(string(c), 3); strings.HasPrefix(x.text[x.at:], mark) {
				read = func(byte) (token, error) { return x.tripled(mark) }
			}
			if inner, err := read(c); err != nil {
				return inner, err
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			x.line++
		}
		x.at++
		if depth == 0 {
			t.text = x.text[from:x.at]
			return t, nil
		}
	}
	t.text, _, _ = strings.Cut(x.text[from:], "\n")
	p := parser{}
	return t, p.fail(t, "has no closing bracket")
}
