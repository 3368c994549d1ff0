//go:build !noclients

package postgres

import (
	"context"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// expressionOf returns the tsquery for a term in one library. Words contain no quotation marks, the only character that would
// have to be escaped.
func expressionOf(owner int64, t search.Term) string {
	begin, weight := prefix(owner), ""
	switch t.Field {
	case "":
	case "name":
		weight = nameWeight
	case "text":
		weight = textWeight
	default:
		begin = fieldPrefix(owner, t.Field)
	}
	lexeme := func(word string, prefix bool) string {
		mark := weight
		if prefix {
			mark = "*" + weight
		}
		if mark != "" {
			mark = ":" + mark
		}
		return "'" + begin + word + "'" + mark
	}
	words := make([]string, len(t.Words))
	for i, word := range t.Words {
		words[i] = lexeme(word, t.Prefix && i == len(t.Words)-1)
	}
	either := []string{"(" + strings.Join(words, " <-> ") + ")"}
	for _, word := range t.Also {
		either = append(either, lexeme(word, false))
	}
	return "(" + strings.Join(either, " | ") + ")"
}

// expression returns the tsquery for all terms in one library.
func expression(owner int64, terms search.Terms) string {
	var with, without []string
	for _, t := range terms {
		if t.Not {
			without = append(without, expressionOf(owner, t))
		} else {
			with = append(with, expressionOf(owner, t))
		}
	}
	whole := strings.Join(with, " & ")
	if len(without) > 0 {
		whole += " & !(" + strings.Join(without, " | ") + ")"
	}
	return whole
}

// asked are the tsqueries of all libraries as columns of found, those with the highest base first.
type asked struct {
	bases     []float64
	whole     []string
	positives []int32 // number of terms that are required

	of       []int64 // by term, the number of its query, the first being 1
	terms    []string
	positive []bool
	weights  []float64 // how much the term counts
}

func (a *asked) add(owner int64, base float64, terms search.Terms, but string, weights []float64) {
	whole := expression(owner, terms)
	if but != "" {
		whole = "(" + whole + ") & !(" + but + ")"
	}
	a.bases, a.whole, a.positives = append(a.bases, base), append(a.whole, whole), append(a.positives, 0)
	for i, t := range terms {
		a.of, a.terms = append(a.of, int64(len(a.whole))), append(a.terms, expressionOf(owner, t))
		a.positive, a.weights = append(a.positive, !t.Not), append(a.weights, weights[i])
		if !t.Not {
			a.positives[len(a.positives)-1]++
		}
	}
}

// askedOf returns the tsqueries of libraries, with the weights of the terms.
func askedOf(libraries []engine.InLibrary, weights []float64) *asked {
	a := &asked{}
	for _, l := range libraries {
		a.add(l.Owner, engine.ExactBase, l.Exact, "", weights)
	}
	for _, l := range libraries {
		if engine.Expanded(l.Forms) {
			a.add(l.Owner, engine.FormBase, l.Forms, expression(l.Owner, l.Exact), weights)
		}
	}
	for _, l := range libraries {
		if !engine.Expanded(l.Typos) {
			continue
		}
		without := l.Exact
		if engine.Expanded(l.Forms) {
			without = l.Forms
		}
		a.add(l.Owner, engine.TypoBase, l.Typos, expression(l.Owner, without), weights)
	}
	return a
}

const (
	// counted is the number of items with a term above which it counts as frequent, and countedIn the number of libraries in which they
	// are counted.
	counted   = 2000
	countedIn = 16
	// termWeight is the weight of a single term. A term scores at most 2.2 times its weight, as in BM25.
	termWeight = 2.2
)

// weights returns how much each term counts in a score: rare terms more than frequent ones.
func weights(ctx context.Context, tx pgx.Tx, libraries []engine.InLibrary, terms search.Terms) ([]float64, error) {
	weights := make([]float64, len(terms))
	queries := make([]string, len(terms))
	required := 0
	for i, t := range terms {
		weights[i] = termWeight
		if t.Not {
			continue
		}
		required++
		var either []string
		for _, l := range libraries[:min(len(libraries), countedIn)] {
			either = append(either, expressionOf(l.Owner, t))
		}
		queries[i] = strings.Join(either, " | ")
	}
	if required < 2 || len(libraries) == 0 {
		return weights, nil
	}
	const query = `SELECT t.no, (SELECT count(*) FROM (SELECT FROM words WHERE all_words @@ t.query::tsquery LIMIT $2) AS c)
		FROM unnest($1::text[]) WITH ORDINALITY AS t (query, no) WHERE t.query <> ''`
	err := each(ctx, tx, query, []any{queries, counted}, func(rows pgx.Rows) error {
		var no, count int64
		err := rows.Scan(&no, &count)
		weights[no-1] *= math.Log(1 + counted/(1+float64(count)))
		return err
	})
	return weights, err
}

// numberOf returns the number of an owner, or 0 if the owner has no items.
func numberOf(ctx context.Context, q querier, id string) (no int64, err error) {
	err = q.QueryRow(ctx, "SELECT coalesce(max(no), 0) FROM owner WHERE id = $1", id).Scan(&no)
	return no, err
}

// owners returns the caller's owner number, or 0, and the numbers of all owners with items that the caller may see,
// its own first. long reports whether one of them has items with words in the table long.
func owners(ctx context.Context, tx pgx.Tx, c search.Caller) (me int64, found []int64, err error) {
	if c.Owner != "" { // items without an owner belong to nobody
		if me, err = numberOf(ctx, tx, c.Owner); err != nil {
			return 0, nil, err
		}
	}
	if me != 0 {
		found = append(found, me)
	}
	// Each step reads the next owner from the index.
	const grantors = `SELECT DISTINCT g.owner FROM unnest($1::text[]) AS p (principal) CROSS JOIN LATERAL (
			WITH RECURSIVE next (owner, n) AS (
				(SELECT owner, 1 FROM share WHERE principal = p.principal ORDER BY owner LIMIT 1)
				UNION ALL
				SELECT (SELECT s.owner FROM share AS s WHERE s.principal = p.principal AND s.owner > next.owner ORDER BY s.owner LIMIT 1), next.n + 1
				FROM next WHERE next.owner IS NOT NULL AND next.n <= $3
			) SELECT owner FROM next WHERE owner IS NOT NULL
		) AS g WHERE g.owner <> $2 ORDER BY g.owner LIMIT $3`
	err = each(ctx, tx, grantors, []any{engine.Principals(c), me, engine.MaxOwners - len(found)}, func(rows pgx.Rows) error {
		var no int64
		err := rows.Scan(&no)
		found = append(found, no)
		return err
	})
	return me, found, err
}
