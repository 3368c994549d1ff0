// Package terms defines the queries of searches, and the words of texts that they are compared with.
package terms

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Term is one or more consecutive words of a query. The last may be a prefix.
type Term struct {
	Words  []string // folded
	Typed  []string // the words as they were typed
	Also   []string // for a single word: words that a node can have instead, folded. Parse returns none.
	Field  string   // where the words are: one of the fields, or empty for all
	Prefix bool
	Quoted bool // in quotation marks: the words are not expanded
	Not    bool // a node that contains it is not a hit
}

// Terms is a query: a node is a hit if it contains all terms without Not and none with Not. Without terms, nothing is a hit.
type Terms []Term

// In returns the terms that can be in a field.
func (t Terms) In(field string) Terms {
	var all Terms
	for _, one := range t {
		if one.Field == "" || one.Field == field {
			all = append(all, one)
		}
	}
	return all
}

// Expandable reports whether a node can have another form of the term's word instead: a single word that is required, and
// neither a prefix nor in quotation marks.
func (t Term) Expandable() bool {
	return len(t.Words) == 1 && !t.Quoted && !t.Prefix && !t.Not && Inflected(t.Words[0])
}

// SyntaxError is an error in a query. Its text states how to correct the query.
type SyntaxError struct {
	At     int // position of the wrong part in characters, the first being 1; 0 for the query as a whole
	advice string
}

func (e *SyntaxError) Error() string {
	if e.At == 0 {
		return e.advice
	}
	return fmt.Sprintf("at character %d: %s", e.At, e.advice)
}

func wrong(format string, args ...any) error { return &SyntaxError{0, fmt.Sprintf(format, args...)} }

const (
	maxTerms  = 32
	maxWords  = 64 // in all terms together
	minPrefix = 2  // characters
)

// Parsed is a parsed query.
type Parsed struct {
	Terms  Terms
	Filter Filter // without Below
	Tags   Tags
}

// Tags are the tags of the caller that a query names, folded (see package tag).
type Tags struct {
	With    []string // a hit has all of them
	Without []string // a hit has none of them
}

// Any reports whether there is a tag.
func (t Tags) Any() bool { return len(t.With) > 0 || len(t.Without) > 0 }

// Parse parses a query: words, "phrases in quotes", prefixes with an asterisk, a leading minus for exclusion, a field before
// a colon, filters, and tags. A query without letters and digits has no terms. Parse returns a *SyntaxError if the query is invalid.
func Parse(query string) (Parsed, error) {
	var p Parsed
	words, positive := 0, false
	for rest := strings.TrimSpace(query); rest != ""; rest = strings.TrimSpace(rest) {
		at := utf8.RuneCountInString(query[:strings.LastIndex(query, rest)]) + 1
		after, err := p.add(rest)
		if syntax, ok := errors.AsType[*SyntaxError](err); ok {
			syntax.At = at
		}
		if err != nil {
			return Parsed{}, err
		}
		rest = after
	}
	for _, t := range p.Terms {
		words, positive = words+len(t.Words), positive || !t.Not
	}
	switch {
	case len(p.Terms) > maxTerms || words > maxWords:
		return Parsed{}, wrong("the query is too long: use at most %d terms with %d words in total", maxTerms, maxWords)
	case len(p.Terms) > 0 && !positive:
		return Parsed{}, wrong("the query only excludes words: enter at least one word without a leading minus")
	case len(p.Terms) == 0 && len(p.Tags.With) == 0 && (p.Filter != Filter{} || p.Tags.Any()):
		return Parsed{}, wrong("the query has only filters: enter at least one word, or a tag such as tag:budget")
	}
	return p, nil
}

// add parses the first part of a query, a term or a filter, and returns the rest.
func (p *Parsed) add(query string) (rest string, err error) {
	bare, not := strings.CutPrefix(query, "-")
	name, value, colon := strings.Cut(bare, ":")
	name = strings.ToLower(name)
	field, isFilter := fields[name], filters[name] != nil
	if !colon || field == "" && !isFilter && name != tagFilter { // a colon in an address or a time
		text, rest := next(query)
		return rest, p.term(text, "")
	}
	text, rest := next(value)
	if text == "" || unicode.IsSpace(rune(value[0])) {
		return "", wrong("%s: has no value: write the value after the colon, without a space", name)
	}
	if field != "" {
		if not {
			text = "-" + text
		}
		return rest, p.term(text, field)
	}
	if name == tagFilter {
		return rest, p.addTag(strings.Trim(text, `"`), not)
	}
	if not {
		return "", wrong("%s: cannot be excluded: write it without the leading minus", name)
	}
	return rest, filters[name](p, strings.Trim(text, `"`))
}

func (p *Parsed) term(text, field string) error {
	t, err := term(text)
	switch t.Field = field; {
	case err != nil:
		return err
	case len(t.Words) > 0:
		p.Terms = append(p.Terms, t)
	case field != "":
		return wrong("%s: has no word: write at least one letter or digit after the colon", field)
	}
	return nil // punctuation
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
