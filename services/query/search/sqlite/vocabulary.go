package sqlite

import (
	"context"
	"hash/maphash"
	"strings"

	"github.com/assay-project/assay/pkg/extract/language"
	"github.com/assay-project/assay/services/query/search"
)

// maxLearned is the number of words that are known to be in the vocabulary, so that they are not written again.
const maxLearned = 1 << 19

// learned contains words that are in the vocabulary.
type learned struct {
	seed  maphash.Seed
	words map[uint64]bool
}

// add adds a word of an owner in a language. It reports whether the word is new.
func (l *learned) add(owner int64, language, word string) bool {
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

// learn adds the words of a node to the vocabulary of its owner, with their stems in the language of the text. The language of
// a node without a text, or with one whose language is unknown, counts as English.
func (c *change) learn(ctx context.Context, w nodeWords) error {
	text := strings.Join(w.blocks, "")
	spoken := language.Detect(text)
	if spoken == language.Undetermined {
		spoken = language.English
	}
	if c.x.learned.add(w.owner, spoken, "") {
		if _, err := c.ExecContext(ctx, "INSERT OR IGNORE INTO spoken VALUES (?, ?)", w.owner, spoken); err != nil {
			return err
		}
	}
	for _, text := range append(w.labels, text) {
		for word := range search.Words(text) {
			written := text[word.Start:word.End]
			if !search.Inflected(word.Text) || !c.x.learned.add(w.owner, spoken, written) {
				continue
			}
			if err := c.learnWord(ctx, w.owner, spoken, written, word.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *change) learnWord(ctx context.Context, owner int64, spoken, written, word string) error {
	if _, err := c.ExecContext(ctx, "INSERT OR IGNORE INTO vocabulary VALUES (?, ?)", owner, word); err != nil {
		return err
	}
	for _, stem := range search.Stems(spoken, written) {
		if _, err := c.ExecContext(ctx, "INSERT OR IGNORE INTO stem VALUES (?, ?, ?, ?)", owner, spoken, stem, word); err != nil {
			return err
		}
	}
	return nil
}
