package expr

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokBad           // a character that is not allowed in expressions
	tokWord
	tokName  // #placeholder
	tokValue // :placeholder
	tokNumber
	tokEqual
	tokNotEqual
	tokLess
	tokLessEqual
	tokGreater
	tokGreaterEqual
	tokPlus
	tokMinus
	tokComma
	tokDot
	tokOpen
	tokClose
	tokOpenBracket
	tokCloseBracket
	tokAnd
	tokOr
	tokNot
	tokIn
	tokBetween
	tokSet
	tokRemove
	tokAdd
	tokDelete
)

// token is a piece of the source, from byte start up to, but excluding, end.
type token struct {
	kind       tokenKind
	start, end int
}

// grammar is the range of tokens that are keywords of an expression. All other words are plain words.
// All keywords are reserved words.
type grammar struct{ first, last tokenKind }

func conditionGrammar() grammar  { return grammar{tokAnd, tokBetween} }
func updateGrammar() grammar     { return grammar{tokSet, tokDelete} }
func projectionGrammar() grammar { return grammar{} }

// lex splits src into tokens; the last one is tokEnd.
func lex(src string, g grammar) []token {
	tokens := make([]token, 0, len(src)/3+2)
	for i := 0; i < len(src); {
		start := i
		kind := tokBad
		switch c := src[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		case isLetter(c):
			i = wordEnd(src, i)
			kind = keyword(src[start:i])
			if kind < g.first || kind > g.last {
				kind = tokWord
			}
		case c == '#' || c == ':':
			i = wordEnd(src, i+1)
			switch {
			case i == start+1:
			case c == '#':
				kind = tokName
			default:
				kind = tokValue
			}
		case isDigit(c):
			for i < len(src) && isDigit(src[i]) {
				i++
			}
			kind = tokNumber
		case c < utf8.RuneSelf:
			kind = operator(src[i:])
			i++
			if kind == tokNotEqual || kind == tokLessEqual || kind == tokGreaterEqual {
				i++
			}
		default:
			_, size := utf8.DecodeRuneInString(src[i:])
			i += size
		}
		tokens = append(tokens, token{kind, start, i})
	}
	return append(tokens, token{tokEnd, len(src), len(src)})
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordEnd returns the end of the letters, digits and underscores of s that
// start at i.
func wordEnd(s string, i int) int {
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
		i++
	}
	return i
}

// upper appends word in upper case, or nothing if it exceeds the capacity of
// buf: such a word is longer than every keyword.
func upper(buf []byte, word string) []byte {
	if len(word) > cap(buf) {
		return buf
	}
	for i := range len(word) {
		c := word[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}

func keyword(word string) tokenKind {
	var buf [len("BETWEEN")]byte
	switch string(upper(buf[:0], word)) {
	case "AND":
		return tokAnd
	case "OR":
		return tokOr
	case "NOT":
		return tokNot
	case "IN":
		return tokIn
	case "BETWEEN":
		return tokBetween
	case "SET":
		return tokSet
	case "REMOVE":
		return tokRemove
	case "ADD":
		return tokAdd
	case "DELETE":
		return tokDelete
	}
	return tokWord
}

// operator returns the kind of the operator that src starts with.
func operator(src string) tokenKind {
	switch {
	case strings.HasPrefix(src, "<>"):
		return tokNotEqual
	case strings.HasPrefix(src, "<="):
		return tokLessEqual
	case strings.HasPrefix(src, ">="):
		return tokGreaterEqual
	}
	switch src[0] {
	case '=':
		return tokEqual
	case '<':
		return tokLess
	case '>':
		return tokGreater
	case '+':
		return tokPlus
	case '-':
		return tokMinus
	case ',':
		return tokComma
	case '.':
		return tokDot
	case '(':
		return tokOpen
	case ')':
		return tokClose
	case '[':
		return tokOpenBracket
	case ']':
		return tokCloseBracket
	}
	return tokBad
}
