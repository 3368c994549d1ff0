package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// found finds the nodes that match and that the caller may see. Its plan is pinned because SQLite has no
// statistics about words: MATERIALIZED computes each step once, CROSS JOIN fixes the order of the tables, and a unary
// plus disables an index. A test checks the plan.
//
// BM25 is at most 2.2 times the weight of each term, however often a node contains it. Occurrences in names and properties
// count so much that one is worth more than any number in a text, and a hit with such an occurrence precedes those without:
// 32 terms in an index of 10^12 nodes score less than 1e4. Among hits that are equal in this, those with the words themselves
// precede those with other forms of them, and hits with similar words come last.
//
// From each folder of a hit it walks up to the root, which it reaches only if no folder is in the trash. On the
// way it checks whether a folder is shared with the caller, and whether one is the folder of the filter.
//
// tagged is found for queries with words and tags, and listed for those with tags only. With them, tags restrict the nodes before
// their number is limited.
//
// one is found for a query that is restricted to one item. It has no scores: bm25 reads all nodes with each word.
const (
	found  = beginning + matching + ` LIMIT :most + 0` + ending
	tagged = beginning + matching + ` AND (NOT :tags OR words.rowid IN (SELECT value FROM json_each(:tagged))) AND words.rowid NOT IN (SELECT value FROM json_each(:untagged)) LIMIT :most + 0` + ending
	one    = beginning + `SELECT words.rowid AS no, 0.0 AS score FROM json_each(:expressions) AS library CROSS JOIN words
		WHERE words MATCH library.value ->> 'q' AND words.rowid = coalesce((SELECT value FROM json_each(:tagged)), 0) LIMIT :most + 0` + ending
	listed = beginning + `SELECT value AS no, 0.0 AS score FROM json_each(:tagged) WHERE value NOT IN (SELECT value FROM json_each(:untagged)) LIMIT :most + 0` + ending
)

// matching selects the nodes with words of the query, and their scores.
const matching = `SELECT words.rowid AS no, -bm25(words, 1e9, 1e9, 1.0) + 2e4 * (bm25(words, 1.0, 1.0, 0.0) < 0) + (library.value ->> 'b') AS score
		FROM json_each(:expressions) AS library CROSS JOIN words WHERE words MATCH library.value ->> 'q'`

const beginning = `
WITH RECURSIVE
chosen (no, id, score, kind, format, created, parent, open, wanted) AS MATERIALIZED (
	SELECT n.no, n.id, hits.score, n.kind, n.format, n.created, n.parent, n.owner = :me OR n.shared AND ` + granted + `,
		n.trashed = 0 AND n.kind > 1 AND (:all OR n.created >= :from AND n.created < :to
			AND (:kind = 0 OR n.kind = :kind) AND (:format = '' OR n.format = :format) AND (:status = '' OR n.status = :status) AND n.size >= :minsize AND (:maxsize = 0 OR n.size <= :maxsize))
	FROM (
		`

const ending = `
	) AS hits CROSS JOIN node AS n ON n.no = hits.no
),
climb (folder, at, open, inside, depth) AS (
	SELECT DISTINCT parent, parent, 0, 0, 0 FROM chosen WHERE wanted AND parent IS NOT NULL
	UNION ALL
	SELECT climb.folder, n.parent, climb.open OR n.shared AND ` + granted + `, climb.inside OR n.no IN (SELECT value FROM json_each(:below)), climb.depth + 1
	FROM climb CROSS JOIN node AS n ON n.no = climb.at
	WHERE +n.trashed = 0 AND +n.kind > 0 AND (+n.parent IS NOT NULL OR +n.kind = 1) AND climb.depth < 128
),
folder (no, open, inside) AS MATERIALIZED (SELECT folder, open, inside FROM climb WHERE at IS NULL),
visible (no, id, score, kind, format, created) AS MATERIALIZED (
	SELECT no, id, score, kind, format, created
	FROM chosen
	WHERE wanted AND (open AND (parent IS NULL OR parent IN (SELECT no FROM folder)) OR parent IN (SELECT no FROM folder WHERE open))
		AND (:everywhere OR parent IN (SELECT no FROM folder WHERE inside))
)
SELECT 0, no, score FROM (
	SELECT no, score FROM visible WHERE score < :score OR score = :score AND id < :id ORDER BY score DESC, id DESC LIMIT :limit + 0
)
UNION ALL SELECT 1, kind || ' ' || strftime('%Y', created / 1000, 'unixepoch') || ' ' || format AS properties, count(*) FROM visible GROUP BY properties
UNION ALL SELECT 2, '', count(*) FROM chosen`

// granted reports whether the node n is shared with the caller.
const granted = `EXISTS (SELECT 1 FROM json_each(:principals) AS p CROSS JOIN share AS s ON s.node = n.no AND s.principal = p.value)`

// named selects the properties of a node that a hit contains.
const named = "SELECT n.id, n.name, a.properties, coalesce(a.cut, ''), (" + lastBlock + ") FROM node AS n LEFT JOIN about AS a ON a.no = n.no WHERE n.no = ?3"

// Parts of the result of found.
const (
	partHit     = iota // number and score of the node
	partGroup          // kind, year and format, and their number of hits
	partMatches        // number of nodes considered
)

// Search returns one page of matching nodes, best match first.
func (x *Index) Search(ctx context.Context, q search.Query) (search.Result, error) {
	scope := engine.Scope(q.Caller.Owner, q.Caller.Groups, q.Terms, q.Filter, q.Tags)
	after, err := engine.Values(q.Cursor, scope, 1)
	if err != nil {
		return search.Result{}, err
	}
	tx, err := x.snapshot(ctx)
	if err != nil {
		return search.Result{}, fault(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	var result search.Result
	if result.Sequence, _, err = position(ctx, tx); err != nil {
		return result, err
	}
	if len(q.Terms) == 0 && len(q.Tags.With) == 0 {
		result.Facets = engine.NewGroups().Facets()
		return result, nil
	}
	asked, err := x.asked(ctx, tx, q, after)
	if err != nil {
		return result, fault(err)
	}
	statement := statementOf(q)
	found, err := asked.collect(ctx, tx, statement, &result)
	if err == nil && len(q.Terms) > 0 && q.Only == "" && result.Total < engine.Few && !result.More {
		var similar bool
		if similar, err = engine.Correct(ctx, vocabulary{tx}, asked.me, asked.libraries); err == nil && similar {
			found, err = asked.collect(ctx, tx, statement, &result)
		}
	}
	if err != nil {
		return result, fault(err)
	}
	more := len(found) > q.Limit
	found = found[:min(len(found), q.Limit)]
	excerpts := x.excerptsOf(tx, engine.Shown(q.Terms, asked.libraries), found)
	for _, h := range found {
		hit, err := excerpts.hit(ctx, h)
		if err != nil {
			return result, err
		}
		hit.Next = engine.CursorAt(scope, []any{h.score}, hit.ID)
		result.Hits = append(result.Hits, hit)
	}
	if more {
		result.Next = result.Hits[len(result.Hits)-1].Next
	}
	return result, nil
}

// statementOf returns the statement that finds the nodes of a query.
func statementOf(q search.Query) string {
	switch {
	case !q.Tags.Any():
		return found
	case len(q.Terms) > 0 && q.Only != "":
		return one
	case len(q.Terms) > 0:
		return tagged
	}
	return listed
}

// hit returns a hit with its snippets.
func (e *excerpts) hit(ctx context.Context, h hit) (found search.Hit, err error) {
	var stored engine.Key
	var name string
	var packed []byte
	var last sql.NullInt64
	row := e.tx.QueryRowContext(ctx, named, blockNo(h.no, 0), blockNo(h.no, maxBlocks-1), h.no)
	if err := row.Scan(&stored, &name, &packed, &found.Cut, &last); err != nil {
		return found, fault(err)
	}
	found.Score = h.score
	if found.ID, err = stored.ID(); err != nil {
		return found, err
	}
	properties, err := unpackProperties(packed)
	if err != nil {
		return found, err
	}
	found.Snippets, err = search.Snippets(name, properties, e.of(ctx, h.no, blockCount(h.no, last)), e.terms)
	return found, err
}

// request is a query with the parameters of found that stay the same when words are added.
type request struct {
	me        int64 // number of the caller, or 0
	libraries []engine.InLibrary
	cut       bool // there may be more libraries than are searched
	listed    bool // the query has no words
	arguments []any
}

// asked prepares a query.
func (x *Index) asked(ctx context.Context, tx querier, q search.Query, after []any) (*request, error) {
	me, owners, err := owners(ctx, tx, q.Caller)
	if err != nil {
		return nil, err
	}
	r := &request{me: me, cut: len(owners) == engine.MaxOwners}
	if r.libraries, err = inLibraries(ctx, tx, owners, q.Terms); err != nil {
		return nil, err
	}
	who, err := json.Marshal(engine.Principals(q.Caller))
	if err != nil {
		return nil, err
	}
	folders, err := below(ctx, tx, owners, q.Filter, sql.Named("me", me), sql.Named("principals", string(who)))
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
	r.arguments = []any{
		sql.Named("principals", string(who)), sql.Named("most", search.MaxMatches), sql.Named("me", me), sql.Named("all", q.Filter == search.Filter{Below: q.Below, In: q.In}),
		sql.Named("from", from), sql.Named("to", to), sql.Named("kind", engine.KindNo(q.Kind)), sql.Named("format", q.Format),
		sql.Named("status", q.Status), sql.Named("minsize", q.MinSize), sql.Named("maxsize", q.MaxSize), sql.Named("everywhere", q.Below == "" && q.In == ""), sql.Named("below", folders), sql.Named("score", score), sql.Named("id", id), sql.Named("limit", q.Limit+1),
	}
	if !q.Tags.Any() {
		return r, nil
	}
	selected := map[string][]string{"tagged": q.Tagged}
	if q.Only == "" || len(q.Terms) == 0 {
		selected["untagged"] = q.Untagged
	}
	for name, ids := range selected {
		numbers, err := numbersOf(ctx, tx, ids)
		if err != nil {
			return nil, err
		}
		r.arguments = append(r.arguments, sql.Named(name, numbers))
	}
	if len(q.Terms) > 0 && q.Only == "" {
		r.arguments = append(r.arguments, sql.Named("tags", len(q.Tags.With) > 0))
	}
	r.listed = len(q.Terms) == 0
	return r, nil
}

// parameters returns the parameters of found.
func (r *request) parameters() ([]any, error) {
	if r.listed {
		return r.arguments, nil
	}
	asked, err := expressions(r.libraries)
	return append(slices.Clone(r.arguments), sql.Named("expressions", asked)), err
}

type hit struct {
	no    int64
	score float64
}

// collect runs found, returns the hits and sets the counts of the result.
func (r *request) collect(ctx context.Context, tx querier, found string, result *search.Result) ([]hit, error) {
	var hits []hit
	groups := engine.NewGroups()
	result.Total, result.More = 0, r.cut
	parameters, err := r.parameters()
	if err != nil {
		return nil, err
	}
	err = each(ctx, tx, found, parameters, func(rows *sql.Rows) error {
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
			result.More = result.More || number == search.MaxMatches
		}
		return nil
	})
	result.Facets = groups.Facets()
	return hits, err
}
