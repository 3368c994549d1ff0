// Package recall compares the text of a document with that of another program. Tests use it.
package recall

import (
	"strings"
	"unicode"
)

// MinWords is the minimum number of words in a reference for a meaningful recall.
const MinWords = 5

// Words returns the words of a text, in order. A word is a run of letters, marks and numbers in lower case.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

// Found returns the number of the words of a reference that a text contains, counting each repetition.
func Found(reference, text []string) int {
	has, n := map[string]int{}, 0
	for _, word := range text {
		has[word]++
	}
	for _, word := range reference {
		if has[word] > 0 {
			has[word]--
			n++
		}
	}
	return n
}

// Of returns the share of the words of a reference that a text contains, counting each repetition. It is 1 if the
// reference has no words.
func Of(reference, text []string) float64 {
	if len(reference) == 0 {
		return 1
	}
	return float64(Found(reference, text)) / float64(len(reference))
}
