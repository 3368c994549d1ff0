package search

import (
	"fmt"
	"strings"
	"unicode"
)

// Term is a part of a query: words that follow each other. The last may be the beginning of a word.
type Term struct {
	Words  []string // folded
	Prefix bool
	Not    bool // a node with it is no hit
}

// Terms are a query: a node is a hit if it has all terms but those with Not, and none of these.
type Terms []Term

// SyntaxError is a query that cannot be understood. Its text says what to write instead.
type SyntaxError struct{ advice string }

func (e *SyntaxError) Error() string { return e.advice }

func wrong(format string, args ...any) error { return &SyntaxError{fmt.Sprintf(format, args...)} }

const (
	maxTerms  = 32
	maxWords  = 64 // of all terms
	minPrefix = 2  // characters
)

// Parse reads a query: words, "words in this order", the beginning of a word with an asterisk, and a
// minus before what must be absent. It returns a *SyntaxError.
func Parse(query string) (Terms, error) {
	var terms Terms
	words, positive := 0, false
	for rest := strings.TrimSpace(query); rest != ""; rest = strings.TrimSpace(rest) {
		text, after, err := next(rest)
		if err != nil {
			return nil, err
		}
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
			return nil, wrong("the query is too long: use at most %d terms of %d words together", maxTerms, maxWords)
		}
	}
	if len(terms) == 0 {
		return nil, wrong("the query has no letter and no number: name a word to look for")
	}
	if !positive {
		return nil, wrong("the query only excludes words: name at least one word without a minus before it")
	}
	return terms, nil
}

// next cuts the first term off a query.
func next(query string) (text, rest string, err error) {
	quote := strings.IndexByte(query, '"')
	space := strings.IndexFunc(query, unicode.IsSpace)
	if quote < 0 || space >= 0 && space < quote {
		if space < 0 {
			return query, "", nil
		}
		return query[:space], query[space:], nil
	}
	if quote > 0 && query[:quote] != "-" { // a"b" is a and "b"
		return query[:quote], query[quote:], nil
	}
	length := strings.IndexByte(query[quote+1:], '"')
	if length < 0 {
		return "", "", wrong(`a quotation mark is not closed: write "the words" with one at each end`)
	}
	end := quote + 1 + length + 1
	if strings.HasPrefix(query[end:], "*") {
		end++
	}
	return query[:end], query[end:], nil
}

func term(text string) (Term, error) {
	bare, not := strings.CutPrefix(text, "-")
	bare, prefix := strings.CutSuffix(bare, "*")
	t := Term{Not: not, Prefix: prefix}
	for w := range Words(bare) {
		t.Words = append(t.Words, w.Text)
	}
	if !prefix {
		return t, nil
	}
	if len(t.Words) == 0 {
		return Term{}, wrong("an asterisk stands alone: write the beginning of a word before it, such as rep*")
	}
	if last := []rune(t.Words[len(t.Words)-1]); len(last) < minPrefix && kindOf(last[0]) != character {
		return Term{}, wrong("%q is too short: write at least %d characters before an asterisk", text, minPrefix)
	}
	return t, nil
}
