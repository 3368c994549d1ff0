package engine

import (
	"hash/maphash"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// maxLearned is the number of words that are known to be in the vocabulary, so that they are not written again.
const maxLearned = 1 << 19

// Learned contains words that are in the vocabulary.
type Learned struct {
	seed  maphash.Seed
	words map[uint64]bool
}

// NewLearned returns an empty Learned.
func NewLearned() Learned { return Learned{maphash.MakeSeed(), map[uint64]bool{}} }

// Clear forgets all words, because some may not have been written.
func (l *Learned) Clear() { clear(l.words) }

// add adds a word of an owner in a language. It reports whether the word is new.
func (l *Learned) add(owner int64, language, word string) bool {
	if len(l.words) >= maxLearned {
		clear(l.words)
	}
	key := maphash.Comparable(l.seed, [3]any{owner, language, word})
	if l.words[key] {
		return false
	}
	l.words[key] = true
	return true
}

// Learn calls see for each word of an item that may be missing in the vocabulary of its owner. The last of the texts is the text of
// the item, and the others are its name and properties. spoken is the language of the text. That of an item without a text, or with
// one whose language is unknown, counts as English. fresh means that the language may be missing. written is the word as it is in
// the text, and word the folded word.
func (l *Learned) Learn(owner int64, texts []string, see func(written, word string)) (spoken string, fresh bool) {
	spoken = search.LanguageOf(texts[len(texts)-1])
	fresh = l.add(owner, spoken, "")
	for _, text := range texts {
		for word := range terms.Words(text) {
			written := text[word.Start:word.End]
			if !terms.Inflected(word.Text) || !l.add(owner, spoken, written) {
				continue
			}
			see(written, word.Text)
		}
	}
	return spoken, fresh
}
