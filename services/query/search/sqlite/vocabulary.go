package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"

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
const wordsAtOnce = 64

// vocabulary reads words in a transaction.
type vocabulary struct{ tx *sql.Tx }

var _ engine.Vocabulary = vocabulary{}

// Absent reports whether no node of a library has a term.
func (v vocabulary) Absent(ctx context.Context, owner int64, t search.Term) (bool, error) {
	var found int
	err := v.tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT 1)", expression(owner, search.Terms{t})).Scan(&found)
	return found == 0, err
}

var errEnough = errors.New("no more words are needed")

// Words iterates over wordsAtOnce words of a library.
func (v vocabulary) Words(ctx context.Context, owner int64, from, _ string, _ int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		const query = "SELECT word FROM vocabulary WHERE owner = ? AND word >= ? ORDER BY word LIMIT ?"
		err := each(ctx, v.tx, query, []any{owner, from, wordsAtOnce}, func(rows *sql.Rows) error {
			var found string
			if err := rows.Scan(&found); err != nil {
				return err
			}
			if !yield(found, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield("", err)
		}
	}
}
