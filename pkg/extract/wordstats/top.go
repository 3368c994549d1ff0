package wordstats

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// lowLine is the stored form of '_' in an ASCII word.
const lowLine = '_' | 0x20

// topTen is the list of the ten most frequent words, in order.
type topTen struct {
	words []topWord // has capacity for ten
}

// topWord is a word: its prefix of up to keptBytes, and the digest if it is longer than maxWord.
type topWord struct {
	start, digest string
	count         int64
}

// offer inserts a word, in its stored form, if it is among the ten.
func (t *topTen) offer(word []byte, count int64) {
	if t.isAbove(count) {
		return
	}
	if full := len(t.words) == cap(t.words); full {
		// The first byte decides most ties, without building the word.
		if last := t.words[len(t.words)-1]; count == last.count && word[0] != lowLine && word[0] > last.start[0] {
			return
		}
	}
	w := newTopWord(word, count)
	at, _ := slices.BinarySearchFunc(t.words, w, byRank)
	if at == cap(t.words) {
		return
	}
	if len(t.words) == cap(t.words) {
		t.words = t.words[:len(t.words)-1]
	}
	t.words = slices.Insert(t.words, at, w)
}

// isAbove reports whether count is too low for the ten.
func (t *topTen) isAbove(count int64) bool {
	return len(t.words) == cap(t.words) && count < t.words[len(t.words)-1].count
}

// counts returns the words in displayed form.
func (t *topTen) counts() []WordCount {
	counts := make([]WordCount, len(t.words))
	for i, w := range t.words {
		counts[i] = WordCount{Word: w.shown(), Count: w.count}
	}
	return counts
}

// byRank orders by descending count, then by code points, whose order is that of their UTF-8 bytes.
// The digest orders long words with the same start.
func byRank(a, b topWord) int {
	return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.start, b.start), strings.Compare(a.digest, b.digest))
}

// newTopWord returns the word with the given stored form.
func newTopWord(word []byte, count int64) topWord {
	if start, digest, long := bytes.Cut(word, []byte{digestMark}); long {
		return topWord{string(start), string(digest), count}
	}
	if bytes.IndexByte(word, lowLine) >= 0 && !bytes.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return topWord{start: string(bytes.ReplaceAll(word, []byte{lowLine}, []byte{'_'})), count: count}
	}
	return topWord{start: string(word), count: count}
}

// shown returns the word in displayed form, shortened if it is long.
func (w topWord) shown() string {
	if w.digest == "" {
		return w.start
	}
	at := shownBytes - len(ellipsis)
	for !utf8.RuneStart(w.start[at]) {
		at--
	}
	return w.start[:at] + ellipsis
}

// average returns sum/count, rounded half up to 2 decimals, or 0 if count is 0.
func average(sum, count int64) float64 {
	if count == 0 {
		return 0
	}
	// In hundredths, since a half such as 1.005 has no exact float64.
	hundredths := sum/count*100 + (sum%count*200+count)/(2*count)
	return float64(hundredths) / 100
}
