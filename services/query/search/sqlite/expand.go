package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/assay-project/assay/services/query/search"
)

// The bases of the scores of hits: those with the words themselves precede those with other forms of them, and these precede
// those with similar words. A hit in a name scores 2e4 more, and the words at most 1e4.
const (
	exactBase = 5e4
	formBase  = 4e4
	typoBase  = 0
)

const (
	// maxForms is the maximum number of other words for one word of a query, in one library.
	maxForms = 64
	// few is the number of hits below which typing errors are considered.
	few = 5
)

// inLibrary is a query for one library, with the other words that its terms can stand for there.
type inLibrary struct {
	owner               int64
	exact, forms, typos search.Terms
}

// inLibraries returns the query for each library, with the other forms of its words.
func inLibraries(ctx context.Context, tx *sql.Tx, owners []int64, terms search.Terms) ([]inLibrary, error) {
	all := make([]inLibrary, len(owners))
	at := map[int64]int{}
	for i, owner := range owners {
		all[i] = inLibrary{owner: owner, exact: terms, forms: slices.Clone(terms)}
		at[owner] = i
	}
	type stem struct {
		Term     int    `json:"t"`
		Language string `json:"l"`
		Stem     string `json:"s"`
	}
	var stems []stem
	for i, t := range terms {
		if !t.Expandable() {
			continue
		}
		for _, language := range search.StemLanguages() {
			for _, found := range search.Stems(language, t.Typed[0]) {
				stems = append(stems, stem{i, language, found})
			}
		}
	}
	if stems == nil {
		return all, nil
	}
	where, err := json.Marshal(owners)
	if err != nil {
		return nil, err
	}
	wanted, err := json.Marshal(stems)
	if err != nil {
		return nil, err
	}
	const query = `SELECT DISTINCT p.owner, w.value ->> 't', s.word FROM json_each(?) AS o CROSS JOIN spoken AS p ON p.owner = o.value
		CROSS JOIN json_each(?) AS w ON w.value ->> 'l' = p.language
		CROSS JOIN stem AS s ON s.owner = p.owner AND s.language = p.language AND s.stem = w.value ->> 's'`
	err = each(ctx, tx, query, []any{string(where), string(wanted)}, func(rows *sql.Rows) error {
		var owner int64
		var term int
		var word string
		err := rows.Scan(&owner, &term, &word)
		t := &all[at[owner]].forms[term]
		if word != t.Words[0] && len(t.Also) < maxForms {
			t.Also = append(t.Also, word)
		}
		return err
	})
	return all, err
}

// expressions returns the queries of all libraries as a JSON array, those with the highest base first.
func expressions(all []inLibrary) (string, error) {
	type expressed struct {
		Query string  `json:"q"`
		Base  float64 `json:"b"`
	}
	var exact, forms, typos []expressed
	for _, l := range all {
		plain := expression(l.owner, l.exact)
		exact = append(exact, expressed{plain, exactBase})
		without := plain
		if expanded(l.forms) {
			without = expression(l.owner, l.forms)
			forms = append(forms, expressed{"(" + without + ") NOT (" + plain + ")", formBase})
		}
		if expanded(l.typos) {
			typos = append(typos, expressed{"(" + expression(l.owner, l.typos) + ") NOT (" + without + ")", typoBase})
		}
	}
	text, err := json.Marshal(append([]expressed{}, slices.Concat(exact, forms, typos)...))
	return string(text), err
}

// expanded reports whether a term can stand for other words.
func expanded(terms search.Terms) bool {
	return slices.ContainsFunc(terms, func(t search.Term) bool { return len(t.Also) > 0 })
}

// shown returns the terms whose words are marked in the snippets of hits in any of the libraries.
func shown(terms search.Terms, all []inLibrary) search.Terms {
	marked := slices.Clone(terms)
	for _, l := range all {
		for _, expanded := range []search.Terms{l.forms, l.typos} {
			for i := range expanded {
				for _, word := range expanded[i].Also {
					if !slices.Contains(marked[i].Also, word) {
						marked[i].Also = append(marked[i].Also, word)
					}
				}
			}
		}
	}
	return marked
}
