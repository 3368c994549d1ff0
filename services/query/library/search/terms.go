package search

import (
	"fmt"
	"strings"
	"unicode"
)

// Term is one or more consecutive words of a query. The last may be a prefix.
type Term struct {
	Words  []string // folded
	Typed  []string // the words as they were typed
	Also   []string // for a single word: words that a node can have instead, folded. Parse returns none.
	Prefix bool
	Quoted bool // in quotation marks: the words are not expanded
	Not    bool // a node that contains it is not a hit
}

// Terms is a query: a node is a hit if it contains all terms without Not and none with Not. Without terms, nothing is a hit.
type Terms []Term

// SyntaxError is an error in a query. Its text states how to correct the query.
type SyntaxError struct{ advice string }

func (e *SyntaxError) Error() string { return e.advice }

func wrong(format string, args ...any) error { return &SyntaxError{fmt.Sprintf(format, args...)} }

const (
	maxTerms  = 32
	maxWords  = 64 // in all terms together
	minPrefix = 2  // characters
)

// Parse parses a query: words, "phrases in quotes", prefixes with an asterisk, and a leading minus
// for exclusion. A query without letters and digits has no terms. Parse returns a *SyntaxError if the query is invalid.
func Parse(query string) (Terms, error) {
	var terms Terms
	words, positive := 0, false
	for rest := strings.TrimSpace(query); rest != ""; rest = strings.TrimSpace(rest) {
		text, after := next(rest)
		rest = after
		t, err := term(text)
		if err != nil {
			return nil, err
		}
		if len(t.Words) == 0 { // punctuation
			continue
		}
		words += len(t.Words)
		positive = positive || !t.Not
		if terms = append(terms, t); len(terms) > maxTerms || words > maxWords {
			return nil, wrong("the query is too long: use at most %d terms with %d words in total", maxTerms, maxWords)
		}
	}
	if len(terms) > 0 && !positive {
		return nil, wrong("the query only excludes words: enter at least one word without a leading minus")
	}
	return terms, nil
}

// next splits the first term off a query.
func next(query string) (text, rest string) {
	quote := strings.IndexByte(query, '"')
	space := strings.IndexFunc(query, unicode.IsSpace)
	if quote < 0 || space >= 0 && space < quote {
		if space < 0 {
			return query, ""
		}
		return query[:space], query[space:]
	}
	if quote > 0 && query[:quote] != "-" { // a"b" is parsed as a and "b"
		return query[:quote], query[quote:]
	}
	length := strings.IndexByte(query[quote+1:], '"')
	if length < 0 { // the end of the query closes the quotation
		return query, ""
	}
	end := quote + 1 + length + 1
	if strings.HasPrefix(query[end:], "*") {
		end++
	}
	return query[:end], query[end:]
}

func term(text string) (Term, error) {
	bare, not := strings.CutPrefix(text, "-")
	bare, prefix := strings.CutSuffix(bare, "*")
	t := Term{Not: not, Prefix: prefix, Quoted: strings.HasPrefix(bare, `"`)}
	for w := range Words(bare) {
		t.Words, t.Typed = append(t.Words, w.Text), append(t.Typed, bare[w.Start:w.End])
	}
	if !prefix {
		return t, nil
	}
	if len(t.Words) == 0 {
		return Term{}, wrong("an asterisk has no prefix: write it after the beginning of a word, such as rep*")
	}
	if last := []rune(t.Words[len(t.Words)-1]); len(last) < minPrefix && kindOf(last[0]) != character {
		return Term{}, wrong("%q is too short: write at least %d characters before an asterisk", text, minPrefix)
	}
	return t, nil
}

// Expandable reports whether a node can have another form of the term's word instead: a single word that is required, and
// neither a prefix nor in quotation marks.
func (t Term) Expandable() bool {
	return len(t.Words) == 1 && !t.Quoted && !t.Prefix && !t.Not && Inflected(t.Words[0])
}
