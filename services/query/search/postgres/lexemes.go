//go:build !noclients

package postgres

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// The words are lexemes of tsvectors, which Assay makes itself: <owner>_<word> for each word, with its position, and in addition
// <owner>__<field>_<word> for the words of properties. A query reads only the postings of libraries of which the caller may see an
// item, regardless of the size of the others. The weight is A for words of the name, B for those of properties, and D for those of the text.
// Positions are not consecutive between the name, the properties and the text.
const (
	nameWeight     = "A"
	propertyWeight = "B"
	textWeight     = "D"
)

// prefix returns the prefix of the lexemes of an owner.
func prefix(owner int64) string { return strconv.FormatInt(owner, 36) + "_" }

// fieldPrefix returns the prefix of the lexemes of an owner for the words in a field. No prefix of a word begins like it.
func fieldPrefix(owner int64, field string) string { return prefix(owner) + "_" + field + "_" }

// A tsvector keeps positions up to lastPosition, and at most 255 of each lexeme.
const lastPosition = 1<<14 - 1

// vector collects lexemes.
type vector struct {
	at       int // the last position
	lexemes  map[string]*strings.Builder
	count    int            // words
	repeated map[string]int // occurrences by lexeme
	most     int            // of a lexeme
}

func newVector() *vector {
	return &vector{lexemes: map[string]*strings.Builder{}, repeated: map[string]int{}}
}

// gap separates what follows from what precedes, so that no phrase is found across it.
func (v *vector) gap() { v.at++ }

// add adds the words of a text, each after a prefix, up to a number of words.
func (v *vector) add(begin, text, weight string, most int) {
	for w := range terms.Words(text) {
		if most--; most < 0 {
			return
		}
		v.at++
		v.count++
		lexeme := begin + w.Text
		b := v.lexemes[lexeme]
		if b == nil {
			b = &strings.Builder{}
			v.lexemes[lexeme] = b
			b.WriteString("'" + lexeme + "':")
		} else {
			b.WriteByte(',')
		}
		v.repeated[lexeme]++
		v.most = max(v.most, v.repeated[lexeme])
		b.WriteString(strconv.Itoa(min(v.at, lastPosition)))
		b.WriteString(weight)
	}
}

// String returns the tsvector as text.
func (v *vector) String() string {
	var b strings.Builder
	for _, lexeme := range slices.Sorted(maps.Keys(v.lexemes)) {
		b.WriteString(v.lexemes[lexeme].String())
		b.WriteByte(' ')
	}
	return b.String()
}

// all is no limit of the number of words.
const all = 1 << 62

// addLabels adds the words of a name and of properties.
func (v *vector) addLabels(owner int64, name string, properties []search.Property) {
	v.add(prefix(owner), name, nameWeight, all)
	for _, p := range properties {
		for _, begin := range []string{prefix(owner), fieldPrefix(owner, terms.FieldOf(p.Field))} {
			v.gap()
			v.add(begin, p.Value, propertyWeight, all)
		}
	}
	v.gap()
}

const (
	// partSize is the maximum number of bytes of a part of a text, unless a single word is longer.
	partSize = 128 << 10
	// partWords and partRepeats are the maximum number of words, and of occurrences of a word, in a part, so that a tsvector
	// has room for the positions of a part and of the words that follow.
	partWords   = 14_000
	partRepeats = 150
	// overlap is the number of words after a part that its tsvector has in addition: a phrase that begins in the part has at most one more.
	overlap = 63
	// labelWords and labelRepeats are the maximum position and number of occurrences of a word in the name and the properties of an item with words in one row.
	labelWords   = 1000
	labelRepeats = 40
)

// parts splits a text between words.
func parts(text string) []string {
	var all []string
	start, count := 0, 0
	repeats := map[string]int{}
	for w := range terms.Words(text) {
		repeats[w.Text]++
		if count++; count > partWords || repeats[w.Text] > partRepeats || w.End-start > partSize && w.Start > start {
			all = append(all, text[start:w.Start])
			start, count = w.Start, 1
			clear(repeats)
			repeats[w.Text] = 1
		}
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// ahead returns the beginning of what follows a part, with at least overlap words if there are as many.
func ahead(parts []string, after int) string {
	var b strings.Builder
	words := 0
	for _, part := range parts[after+1:] {
		b.WriteString(part)
		for range terms.Words(part) {
			if words++; words >= overlap {
				return b.String()
			}
		}
	}
	return b.String()
}
