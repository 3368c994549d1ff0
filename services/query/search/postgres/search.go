//go:build !noclients

package postgres

import (
	"context"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// granted reports whether the node n is shared with the caller.
const granted = `EXISTS (SELECT FROM share AS s WHERE s.node = n.no AND s.principal = ANY (@principals))`

// found finds the nodes that match and that the caller may see. Nodes in long match if their parts contain all terms and none that is
// excluded; a part of a long text has at most a few hundred occurrences of a word, and counts as one.
//
// Each term scores its weight if it is in the name or the properties, and less otherwise: ts_rank is at most 1. NameBonus and
// the bases order the hits by where their words are and which they are, before how often.
//
// Tags restrict the nodes before their number is limited. Without words, all nodes with the tags are listed.
//
// From each folder of a hit it walks up to the root, which it reaches only if no folder is in the trash. On the
// way it checks whether a folder is shared with the caller, and whether one is the folder of the filter.
const found = `
WITH RECURSIVE
asked AS MATERIALIZED (
	SELECT a.no, a.base, a.query::tsquery AS query, a.positives FROM unnest(@bases::float8[], @whole::text[], @positives::integer[]) WITH ORDINALITY AS a (base, query, positives, no)
),
term AS MATERIALIZED (
	SELECT t.no, t.of, t.query::tsquery AS query, t.positive, t.weight
	FROM unnest(@of::bigint[], @terms::text[], @positive::boolean[], @weights::float8[]) WITH ORDINALITY AS t (of, query, positive, weight, no)
),
short AS MATERIALIZED (
	SELECT asked.no AS of, asked.base, w.no, w.labels, w.all_words, NULL::float8 AS score FROM asked CROSS JOIN words AS w
	WHERE w.all_words @@ asked.query AND (NOT @tags OR w.no = ANY (@tagged::bigint[])) AND NOT w.no = ANY (@untagged::bigint[]) LIMIT @most
),
part AS MATERIALIZED (
	SELECT term.of, term.no AS term, term.positive, term.weight, l.no, bool_or(l.part = 0) AS labels, count(*) AS count
	FROM term CROSS JOIN long AS l WHERE @long AND l.all_words @@ term.query GROUP BY term.of, term.no, term.positive, term.weight, l.no
),
longer AS MATERIALIZED (
	SELECT DISTINCT ON (m.no) m.of, asked.base, m.no, m.score FROM (
		SELECT part.of, part.no, count(*) AS terms, bool_or(NOT part.positive) AS excluded,
			sum(part.weight * CASE WHEN part.labels THEN 1 ELSE part.count / (1.2 + part.count) / 2 END) + @bonus * bool_or(part.labels)::integer AS score
		FROM part GROUP BY part.of, part.no
	) AS m JOIN asked ON asked.no = m.of WHERE m.terms = asked.positives AND NOT m.excluded
		AND (NOT @tags OR m.no = ANY (@tagged::bigint[])) AND NOT m.no = ANY (@untagged::bigint[]) ORDER BY m.no, asked.base DESC LIMIT @most
),
chosen AS MATERIALIZED (
	SELECT n.no, n.id, h.of, h.base, h.labels, h.all_words, h.score, n.kind, n.format, n.created, n.parent, n.owner = @me OR n.shared AND ` + granted + ` AS open,
		NOT n.trashed AND n.kind > 1 AND n.created >= @from AND n.created < @to AND (@kind = 0 OR n.kind = @kind) AND (@format = '' OR n.format = @format)
			AND (@status = '' OR n.status = @status) AND n.size >= @minsize AND (@maxsize = 0 OR n.size <= @maxsize) AS wanted
	FROM (SELECT of, base, no, labels, all_words, score FROM short UNION ALL SELECT of, base, no, NULL, NULL, score FROM longer
		UNION ALL SELECT 0, 0, listed.no, NULL, NULL, 0 FROM unnest(@listed::bigint[]) AS listed (no) LIMIT @most) AS h JOIN node AS n ON n.no = h.no
),
climb (folder, at, open, inside, depth) AS (
	SELECT DISTINCT parent, parent, false, false, 0 FROM chosen WHERE wanted AND parent IS NOT NULL
	UNION ALL
	SELECT climb.folder, n.parent, climb.open OR n.shared AND ` + granted + `, climb.inside OR n.no = ANY (@below::bigint[]), climb.depth + 1
	FROM climb JOIN node AS n ON n.no = climb.at
	WHERE NOT n.trashed AND n.kind > 0 AND (n.parent IS NOT NULL OR n.kind = 1) AND climb.depth < 128
),
folder (no, open, inside) AS MATERIALIZED (SELECT folder, open, inside FROM climb WHERE at IS NULL),
visible AS MATERIALIZED (
	SELECT * FROM chosen
	WHERE wanted AND (open AND (parent IS NULL OR parent IN (SELECT no FROM folder)) OR parent IN (SELECT no FROM folder WHERE open))
		AND (@everywhere OR parent IN (SELECT no FROM folder WHERE inside))
),
scored AS MATERIALIZED (
	SELECT v.no, v.id, v.base + sum(term.weight * CASE WHEN v.labels @@ term.query THEN 1 ELSE ts_rank('{1,1,1,1}', v.all_words, term.query, 1) END)
		+ @bonus * bool_or(v.labels @@ term.query)::integer AS score
	FROM visible AS v JOIN term ON term.of = v.of AND term.positive WHERE v.score IS NULL GROUP BY v.no, v.id, v.base
	UNION ALL SELECT no, id, base + score FROM visible WHERE score IS NOT NULL
)
SELECT 0, no::text, score FROM (
	SELECT no, score FROM scored WHERE score < @score OR score = @score AND id < @id ORDER BY score DESC, id DESC LIMIT @limit
) AS page
UNION ALL SELECT 1, kind || ' ' || to_char(to_timestamp(created / 1000.0) AT TIME ZONE 'UTC', 'FMYYYY') || ' ' || format AS properties, count(*) FROM visible GROUP BY properties
UNION ALL SELECT 2, '', count(*) FROM chosen`

// Parts of the result of found.
const (
	partHit     = iota // number and score of the node
	partGroup          // kind, year and format, and their number of hits
	partMatches        // number of nodes considered
)

// Search returns one page of matching items, best match first.
func (x *Index) Search(ctx context.Context, q search.Query) (result search.Result, err error) {
	scope := engine.Scope(q.Caller.Owner, q.Caller.Groups, q.Terms, q.Filter, q.Tags)
	after, err := engine.Values(q.Cursor, scope, 1)
	if err != nil {
		return result, err
	}
	err = x.read(ctx, func(tx pgx.Tx, sequence uint64) error {
		if result.Sequence = sequence; len(q.Terms) == 0 && len(q.Tags.With) == 0 {
			result.Facets = engine.NewGroups().Facets()
			return nil
		}
		r, err := newRequest(ctx, tx, q, after)
		if err != nil {
			return err
		}
		hits, err := r.collect(ctx, tx, &result)
		if err == nil && len(q.Terms) > 0 && q.Only == "" && result.Total < engine.Few && !result.More {
			var similar bool
			if similar, err = engine.Correct(ctx, vocabulary{tx}, r.me, r.libraries); err == nil && similar {
				hits, err = r.collect(ctx, tx, &result)
			}
		}
		if err != nil {
			return err
		}
		more := len(hits) > q.Limit
		hits = hits[:min(len(hits), q.Limit)]
		p := &page{x: x, tx: tx, terms: engine.Shown(q.Terms, r.libraries), libraries: r.libraries}
		if result.Hits, err = p.read(ctx, hits); err != nil {
			return err
		}
		for i := range result.Hits {
			result.Hits[i].Next = engine.CursorAt(scope, []any{hits[i].score}, result.Hits[i].ID)
		}
		if more {
			result.Next = result.Hits[len(result.Hits)-1].Next
		}
		return nil
	})
	return result, err
}

// request is a query with the parameters of found that stay the same when words are added.
type request struct {
	me        int64 // number of the caller, or 0
	libraries []engine.InLibrary
	weights   []float64 // of the terms
	cut       bool      // there may be more libraries than are searched
	arguments pgx.NamedArgs
}

func newRequest(ctx context.Context, tx pgx.Tx, q search.Query, after []any) (*request, error) {
	me, owners, err := owners(ctx, tx, q.Caller)
	if err != nil {
		return nil, err
	}
	r := &request{me: me, cut: len(owners) == engine.MaxOwners}
	if r.libraries, err = inLibraries(ctx, tx, owners, q.Terms); err != nil {
		return nil, err
	}
	if r.weights, err = weights(ctx, tx, r.libraries, q.Terms); err != nil {
		return nil, err
	}
	principals := engine.Principals(q.Caller)
	folders, err := below(ctx, tx, owners, q.Filter, me, principals)
	if err != nil {
		return nil, err
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.From.IsZero() {
		from = q.From.UnixMilli()
	}
	if !q.To.IsZero() {
		to = q.To.UnixMilli()
	}
	score, id := any(math.MaxFloat64), any([]byte{})
	if after != nil {
		score, id = after[0], after[1]
	}
	r.arguments = pgx.NamedArgs{
		"principals": principals, "me": me, "most": search.MaxMatches, "bonus": engine.NameBonus, "from": from, "to": to,
		"kind": engine.KindNo(q.Kind), "format": q.Format, "status": storable(q.Status), "minsize": q.MinSize, "maxsize": q.MaxSize,
		"everywhere": q.Below == "" && q.In == "", "below": folders, "score": score, "id": id, "limit": q.Limit + 1,
	}
	if err := r.restrict(ctx, tx, q); err != nil {
		return nil, err
	}
	var long bool
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM long)").Scan(&long)
	r.arguments["long"] = long
	return r, err
}

type hit struct {
	no    int64
	score float64
}

// collect runs found, returns the hits and sets the counts of the result.
func (r *request) collect(ctx context.Context, tx pgx.Tx, result *search.Result) ([]hit, error) {
	a := askedOf(r.libraries, r.weights)
	for name, column := range map[string]any{
		"bases": a.bases, "whole": a.whole, "positives": a.positives, "of": a.of, "terms": a.terms, "positive": a.positive, "weights": a.weights,
	} {
		r.arguments[name] = column
	}
	var hits []hit
	groups := engine.NewGroups()
	result.Total, result.More = 0, r.cut
	err := each(ctx, tx, found, []any{r.arguments}, func(rows pgx.Rows) error {
		var part int
		var value string
		var number float64
		if err := rows.Scan(&part, &value, &number); err != nil {
			return err
		}
		switch part {
		case partHit:
			no, err := strconv.ParseInt(value, 10, 64)
			hits = append(hits, hit{no, number})
			return err
		case partGroup:
			result.Total += int(number)
			return groups.Add(value, int(number))
		case partMatches:
			result.More = result.More || number >= search.MaxMatches
		}
		return nil
	})
	result.Facets = groups.Facets()
	return hits, err
}
