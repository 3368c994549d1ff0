//go:build !noclients

package postgres

import (
	"context"
	"errors"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// learn adds the words of items to the vocabularies of their owners, with their stems in the languages of the texts.
func (c *change) learn(ctx context.Context, contents []*content) error {
	var owners, stemOwners, spokenOwners []int64
	var words, languages, stems, forms, spokenLanguages []string
	for _, t := range contents {
		texts := []string{t.name}
		for _, p := range t.properties {
			texts = append(texts, p.Value)
		}
		first := len(owners)
		var written []string
		spoken, fresh := c.x.learned.Learn(t.owner, append(texts, strings.Join(t.parts, "")), func(typed, word string) {
			owners, words, written = append(owners, t.owner), append(words, word), append(written, typed)
		})
		if fresh {
			spokenOwners, spokenLanguages = append(spokenOwners, t.owner), append(spokenLanguages, spoken)
		}
		for i, word := range words[first:] {
			for _, stem := range search.Stems(spoken, written[i]) {
				stemOwners, languages, stems, forms = append(stemOwners, t.owner), append(languages, spoken), append(stems, stem), append(forms, word)
			}
		}
	}
	if len(owners)+len(spokenOwners) == 0 {
		return nil
	}
	for _, step := range []struct {
		statement string
		arguments []any
	}{
		{"INSERT INTO spoken SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING", []any{spokenOwners, spokenLanguages}},
		{"INSERT INTO vocabulary SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING", []any{owners, words}},
		{"INSERT INTO stem SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING", []any{stemOwners, languages, stems, forms}},
	} {
		if _, err := c.Exec(ctx, step.statement, step.arguments...); err != nil {
			return err
		}
	}
	return nil
}

// wordsAtOnce is the number of words read at once: reading another word costs less than another request.
const wordsAtOnce = 2000

// vocabulary reads words in a transaction.
type vocabulary struct{ tx pgx.Tx }

var _ engine.Vocabulary = vocabulary{}

// Absent reports whether no item of a library has a term.
func (v vocabulary) Absent(ctx context.Context, owner int64, t search.Term) (absent bool, err error) {
	const query = "SELECT NOT EXISTS (SELECT FROM words WHERE all_words @@ $1::text::tsquery) AND NOT EXISTS (SELECT FROM long WHERE all_words @@ $1::text::tsquery)"
	err = v.tx.QueryRow(ctx, query, expressionOf(owner, t)).Scan(&absent)
	return absent, err
}

var errEnough = errors.New("no more words are needed")

// Words iterates over wordsAtOnce words of a library.
func (v vocabulary) Words(ctx context.Context, owner int64, from, like string, most int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		length := utf8.RuneCountInString(like)
		const query = "SELECT word FROM vocabulary WHERE owner = $1 AND word >= $2 AND char_length(word) BETWEEN $3 AND $4 ORDER BY word LIMIT $5"
		err := each(ctx, v.tx, query, []any{owner, from, length - most, length + most, wordsAtOnce}, func(rows pgx.Rows) error {
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

// inLibraries returns the query for each library, with the other forms of its words.
func inLibraries(ctx context.Context, tx pgx.Tx, owners []int64, terms search.Terms) ([]engine.InLibrary, error) {
	libraries := engine.InLibraries(owners, terms)
	stems := engine.Stems(terms)
	if stems == nil {
		return libraries, nil
	}
	at := map[int64]int{}
	for i, owner := range owners {
		at[owner] = i
	}
	var numbers []int32
	var languages, forms []string
	for _, s := range stems {
		numbers, languages, forms = append(numbers, int32(s.Term)), append(languages, s.Language), append(forms, s.Stem)
	}
	const query = `SELECT DISTINCT p.owner, w.term, s.word FROM spoken AS p JOIN unnest($2::integer[], $3::text[], $4::text[]) AS w (term, language, stem) ON w.language = p.language
		CROSS JOIN LATERAL (SELECT word FROM stem AS s WHERE s.owner = p.owner AND s.language = p.language AND s.stem = w.stem OFFSET 0) AS s WHERE p.owner = ANY($1)
		ORDER BY p.owner, w.term, s.word`
	err := each(ctx, tx, query, []any{owners, numbers, languages, forms}, func(rows pgx.Rows) error {
		var owner int64
		var term int32
		var word string
		if err := rows.Scan(&owner, &term, &word); err != nil {
			return err
		}
		libraries[at[owner]].AddForm(int(term), word)
		return nil
	})
	return libraries, err
}
