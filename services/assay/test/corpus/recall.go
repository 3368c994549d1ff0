package corpus

import (
	"strings"
	"unicode"
)

// MinWords is the minimum number of words in a reference for a meaningful recall.
const MinWords = 5

// Words returns the number of occurrences of each word in a text. A word is a run of letters, marks and numbers in lower
// case.
func Words(text string) map[string]int {
	all := map[string]int{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }) {
		all[strings.ToLower(word)]++
	}
	return all
}

// Recall returns the share of the words of a reference that a text contains, and the number of words of the
// reference. Each occurrence of a repeated word counts separately.
func Recall(reference, text string) (share float64, words int) {
	has, found := Words(text), 0
	for word, n := range Words(reference) {
		words += n
		found += min(n, has[word])
	}
	if words == 0 {
		return 1, 0
	}
	return float64(found) / float64(words), words
}
