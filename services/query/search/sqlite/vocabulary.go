package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// learn adds the words of a node to the vocabulary of its owner, with their stems in the language of the text.
func (c *change) learn(ctx context.Context, w nodeWords) error {
	type word struct{ written, folded string }
	var found []word
	spoken, fresh := c.x.learned.Learn(w.owner, append(w.labels, w.whole), func(written, folded string) {
		found = append(found, word{written, folded})
	})
	if fresh {
		if _, err := c.ExecContext(ctx, "INSERT OR IGNORE INTO spoken VALUES (?, ?)", w.owner, spoken); err != nil {
			return err
		}
	}
	for _, f := range found {
		if err := c.learnWord(ctx, w.owner, spoken, f.written, f.folded); err != nil {
			return err
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

// wordsAtOnce is the number of words read at once.
const wordsAtOnce = 256

const (
	anyWord   = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT 1)"
	nextWords = `SELECT group_concat(word, ' ') FROM (
		SELECT word FROM vocabulary WHERE owner = ? AND word >= ? AND length(word) BETWEEN ? + 0 AND ? + 0 ORDER BY word LIMIT ? + 0)`
)

// vocabulary reads words in a transaction.
type vocabulary struct{ tx querier }

var _ engine.Vocabulary = vocabulary{}

// Absent reports whether no node of a library has a term.
func (v vocabulary) Absent(ctx context.Context, owner int64, t search.Term) (bool, error) {
	var found int
	err := v.tx.QueryRowContext(ctx, anyWord, expression(owner, search.Terms{t})).Scan(&found)
	return found == 0, err
}

// Words iterates over wordsAtOnce words of a library. SQLite joins them, because reading a row takes longer than finding it.
func (v vocabulary) Words(ctx context.Context, owner int64, from, like string, most int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		length := utf8.RuneCountInString(like)
		var words sql.NullString
		err := v.tx.QueryRowContext(ctx, nextWords, owner, from, length-most, length+most, wordsAtOnce).Scan(&words)
		if err != nil {
			yield("", fault(err))
			return
		}
		for word := range strings.FieldsSeq(words.String) {
			if !yield(word, nil) {
				return
			}
		}
	}
}
