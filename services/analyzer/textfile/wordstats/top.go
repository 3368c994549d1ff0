package wordstats

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// lowLine is the stored form of '_' in a word of ASCII.
const lowLine = '_' | 0x20

// topTen holds the ten most frequent words offered, in order.
type topTen struct {
	words []WordCount // has capacity for ten
}

// offer inserts a word, in its stored form, if it is among the ten.
func (t *topTen) offer(word []byte, count int64) {
	if t.isAbove(count) {
		return
	}
	if full := len(t.words) == cap(t.words); full {
		// The first byte decides most ties without building the word.
		if last := t.words[len(t.words)-1]; count == last.Count && word[0] != lowLine && word[0] > last.Word[0] {
			return
		}
	}
	w := WordCount{Word: shown(word), Count: count}
	at, _ := slices.BinarySearchFunc(t.words, w, byRank)
	if at == cap(t.words) {
		return
	}
	if len(t.words) == cap(t.words) {
		t.words = t.words[:len(t.words)-1]
	}
	t.words = slices.Insert(t.words, at, w)
}

// isAbove reports whether a word with this count cannot be among the ten.
func (t *topTen) isAbove(count int64) bool {
	return len(t.words) == cap(t.words) && count < t.words[len(t.words)-1].Count
}

// byRank orders by descending count, then by code points, whose order is that of their UTF-8.
func byRank(a, b WordCount) int {
	if a.Count != b.Count {
		if a.Count > b.Count {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Word, b.Word)
}

// shown returns the word for its stored form: all of it, or the start of a long one.
func shown(word []byte) string {
	if at := bytes.IndexByte(word, digestMark); at >= 0 {
		return string(word[:at]) + ellipsis
	}
	if bytes.IndexByte(word, lowLine) >= 0 && !bytes.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return string(bytes.ReplaceAll(word, []byte{lowLine}, []byte{'_'}))
	}
	return string(word)
}

// average divides and rounds half up to 2 decimals; 0 when count is 0.
func average(sum, count int64) float64 {
	if count == 0 {
		return 0
	}
	// In whole hundredths, since a half such as 1.005 has no exact float64.
	hundredths := sum/count*100 + (sum%count*200+count)/(2*count)
	return float64(hundredths) / 100
}
