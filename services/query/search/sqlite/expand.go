package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

const otherForms = `SELECT DISTINCT p.owner, w.value ->> 't', s.word FROM json_each(?) AS o CROSS JOIN spoken AS p ON p.owner = o.value
	CROSS JOIN json_each(?) AS w ON w.value ->> 'l' = p.language
	CROSS JOIN stem AS s ON s.owner = p.owner AND s.language = p.language AND s.stem = w.value ->> 's'`

// inLibraries returns the query for each library, with the other forms of its words.
func inLibraries(ctx context.Context, tx querier, owners []int64, terms search.Terms) ([]engine.InLibrary, error) {
	all := engine.InLibraries(owners, terms)
	stems := engine.Stems(terms)
	if stems == nil {
		return all, nil
	}
	at := map[int64]int{}
	for i, owner := range owners {
		at[owner] = i
	}
	where, err := json.Marshal(owners)
	if err != nil {
		return nil, err
	}
	wanted, err := json.Marshal(stems)
	if err != nil {
		return nil, err
	}
	err = each(ctx, tx, otherForms, []any{string(where), string(wanted)}, func(rows *sql.Rows) error {
		var owner int64
		var term int
		var word string
		if err := rows.Scan(&owner, &term, &word); err != nil {
			return err
		}
		all[at[owner]].AddForm(term, word)
		return nil
	})
	return all, err
}

// expressions returns the queries of all libraries as a JSON array, those with the highest base first.
func expressions(all []engine.InLibrary) (string, error) {
	type expressed struct {
		Query string  `json:"q"`
		Base  float64 `json:"b"`
	}
	var exact, forms, typos []expressed
	for _, l := range all {
		plain := expression(l.Owner, l.Exact)
		exact = append(exact, expressed{plain, engine.ExactBase})
		without := plain
		if engine.Expanded(l.Forms) {
			without = expression(l.Owner, l.Forms)
			forms = append(forms, expressed{"(" + without + ") NOT (" + plain + ")", engine.FormBase})
		}
		if engine.Expanded(l.Typos) {
			typos = append(typos, expressed{"(" + expression(l.Owner, l.Typos) + ") NOT (" + without + ")", engine.TypoBase})
		}
	}
	text, err := json.Marshal(append([]expressed{}, slices.Concat(exact, forms, typos)...))
	return string(text), err
}
