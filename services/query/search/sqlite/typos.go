package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"unicode/utf8"

	"github.com/assay-project/assay/services/query/search"
)

const (
	// maxCorrected is the maximum number of libraries in which typing errors are considered, the caller's own first.
	maxCorrected = 16
	// maxRead is the maximum number of words read from the vocabularies for one query.
	maxRead = 200_000
	// wordsAtOnce is the number of words read at once.
	wordsAtOnce = 64
)

// errorsIn returns the number of typing errors that are considered in a word: one in words of at least 4 characters, two in words of at least 8.
func errorsIn(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n >= 8:
		return 2
	case n >= 4:
		return 1
	}
	return 0
}

// correct adds to the queries the words that differ from words of the terms by typing errors. In the caller's own library only
// words that it does not have can have errors, unless it has all of them. In others each can, because hits must not depend on words
// of nodes that the caller may not see. correct reports whether it has added any.
func correct(ctx context.Context, tx *sql.Tx, me int64, all []inLibrary) (added bool, err error) {
	left := maxRead
	for i := range all[:min(len(all), maxCorrected)] {
		l := &all[i]
		l.typos = slices.Clone(l.forms)
		unknown := make([]bool, len(l.forms))
		for j, t := range l.forms {
			if l.owner == me && t.Expandable() && errorsIn(t.Words[0]) > 0 {
				if unknown[j], err = absent(ctx, tx, l.owner, t); err != nil {
					return false, err
				}
			}
		}
		every := !slices.Contains(unknown, true)
		for j := range l.typos {
			t := &l.typos[j]
			if !t.Expandable() || !unknown[j] && !every {
				continue
			}
			similar, err := similarWords(ctx, tx, l.owner, t.Words[0], &left)
			if err != nil {
				return false, err
			}
			t.Also = slices.Clone(t.Also)
			for _, word := range similar {
				if word != t.Words[0] && !slices.Contains(t.Also, word) {
					t.Also, added = append(t.Also, word), true
				}
			}
		}
	}
	return added, nil
}

// absent reports whether no node of a library has a term.
func absent(ctx context.Context, tx *sql.Tx, owner int64, t search.Term) (bool, error) {
	var found int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT 1)", expression(owner, search.Terms{t})).Scan(&found)
	return found == 0, err
}

// similarWords returns the words of a vocabulary that differ from a word by typing errors, those with the fewest first, and then in
// lexical order. It reads at most left words, and subtracts those that it has read: words with a beginning that is already too
// different are skipped.
func similarWords(ctx context.Context, tx *sql.Tx, owner int64, word string, left *int) ([]string, error) {
	type candidate struct {
		word     string
		distance int
	}
	most := errorsIn(word)
	if most == 0 {
		return nil, nil
	}
	d := newDistance(word, most)
	var near []candidate
	for next, more := "", true; more && *left > 0; {
		more = false
		start := next
		err := each(ctx, tx, "SELECT word FROM vocabulary WHERE owner = ? AND word >= ? ORDER BY word LIMIT ?", []any{owner, start, wordsAtOnce}, func(rows *sql.Rows) error {
			var found string
			if err := rows.Scan(&found); err != nil {
				return err
			}
			more = true
			*left--
			if found < next {
				return nil
			}
			distance, dead := d.of(found)
			if distance <= most {
				near = append(near, candidate{found, distance})
			}
			if dead > 0 {
				next = found[:dead] + "\xff" // after all words that begin so
			} else {
				next = found + "\x00"
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var words []string
	for _, c := range near[:min(len(near), maxForms)] {
		words = append(words, c.word)
	}
	return words, nil
}
