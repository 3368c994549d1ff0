package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// columns are the sort columns of lists. Each is in the indexes child_<index> and owned_<index>.
var columns = map[search.SortBy]struct{ column, index string }{
	search.ByName: {"sortname", "name"}, search.BySize: {"size", "size"}, search.ByCreated: {"created", "created"}, search.ByUpdated: {"updated", "updated"},
}

// listing is the SQL of a list.
type listing struct {
	from      string // FROM and WHERE clauses
	arguments []any
	order     []search.Key
}

// listingOf returns the SQL of a list. INDEXED BY pins the plan: the rows of a page are read in the order of the
// first key.
func listingOf(ctx context.Context, tx *sql.Tx, l search.Listing) (listing, error) {
	order := l.Sort
	if len(order) == 0 {
		order = []search.Key{{By: search.ByCreated, Descending: true}}
	}
	first := columns[order[0].By].index
	switch {
	case l.Shared != nil:
		var who []string
		if l.Shared.Public {
			who = []string{engine.Everyone}
		} else {
			who = engine.Principals(search.Caller{Owner: l.Shared.Owner, Groups: l.Shared.Groups})[1:]
		}
		named, err := json.Marshal(who)
		if err != nil {
			return listing{}, err
		}
		me := int64(0)
		if !l.Shared.Public {
			if me, err = numberOf(ctx, tx, l.Shared.Owner); err != nil {
				return listing{}, err
			}
		}
		return listing{
			"(SELECT DISTINCT s.node AS no FROM json_each(?) AS p CROSS JOIN share AS s INDEXED BY share_principal ON s.principal = p.value) AS shared " +
				"CROSS JOIN node AS n ON n.no = shared.no WHERE +n.owner <> ? AND +n.trashed = 0",
			[]any{string(named), me}, order,
		}, nil
	case l.Owner != "":
		me, err := numberOf(ctx, tx, l.Owner)
		return listing{
			"node AS n INDEXED BY owned_" + first + " WHERE n.owner = ? AND n.kind = ? AND n.kind > 1 AND n.trashed = 0",
			[]any{me, engine.KindNo(l.Kind)}, order,
		}, err
	}
	parent, err := engine.KeyOf(l.Parent)
	return listing{
		"node AS n INDEXED BY child_" + first + " WHERE n.parent = (SELECT no FROM node WHERE id = ?) AND n.parent IS NOT NULL AND +n.trashed = 0 AND +n.kind > 1",
		[]any{[]byte(parent)}, order,
	}, err
}

// List returns a page of a sorted list.
func (x *Index) List(ctx context.Context, l search.Listing) (search.Page, error) {
	shared := search.Shared{}
	if l.Shared != nil {
		shared = *l.Shared
	}
	asked := engine.Scope(l.Parent, l.Owner, shared, l.Kind, l.Status, l.Sort)
	tx, err := x.read.BeginTx(ctx, nil)
	if err != nil {
		return search.Page{}, fault(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	var page search.Page
	if page.Sequence, _, err = position(ctx, tx); err != nil {
		return page, err
	}
	selection, err := listingOf(ctx, tx, l)
	if err != nil {
		return page, fault(err)
	}
	after, err := engine.Values(l.Cursor, asked, len(selection.order))
	if err != nil {
		return page, err
	}
	query, arguments := selection.query(l, after)
	err = each(ctx, tx, query, arguments, func(rows *sql.Rows) error {
		var stored engine.Key
		last := make([]any, len(selection.order))
		into := []any{&stored}
		for i := range last {
			into = append(into, &last[i])
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		id, err := stored.ID()
		if err != nil {
			return err
		}
		if page.IDs = append(page.IDs, id); len(page.IDs) == l.Limit {
			page.Next = engine.CursorAt(asked, last, id)
		}
		return nil
	})
	return page, err
}

// query returns the statement of a page and its arguments. The node id is the last key, in the direction of the key
// before it, so that an index provides the order, which is the same in every process.
func (s listing) query(l search.Listing, after []any) (string, []any) {
	arguments := slices.Clone(s.arguments)
	var selected, order []string
	descending := false
	var keys []string
	var directions []bool
	for _, k := range s.order {
		descending = k.Descending
		keys, directions = append(keys, "n."+columns[k.By].column), append(directions, descending)
	}
	keys, directions = append(keys, "n.id"), append(directions, descending)
	for i, key := range keys {
		if key != "n.id" {
			selected = append(selected, key)
		}
		if directions[i] {
			key += " DESC"
		}
		order = append(order, key)
	}
	var where strings.Builder
	if after != nil {
		where.WriteString(" AND " + beyond(keys, directions, after, &arguments))
	}
	if l.Kind != "" {
		where.WriteString(" AND +n.kind = ?")
		arguments = append(arguments, engine.KindNo(l.Kind))
	}
	if l.Status != "" {
		where.WriteString(" AND +n.status = ?")
		arguments = append(arguments, l.Status)
	}
	return fmt.Sprintf("SELECT n.id, %s FROM %s%s ORDER BY %s LIMIT ?", strings.Join(selected, ", "), s.from, where.String(), strings.Join(order, ", ")),
		append(arguments, l.Limit)
}

// beyond returns the condition that an entry follows the entry of a cursor. The first part of the condition lets an
// index scan start at that entry.
func beyond(keys []string, directions []bool, after []any, arguments *[]any) string {
	sign := func(i int) string {
		if directions[i] {
			return "<"
		}
		return ">"
	}
	condition := keys[0] + " " + sign(0) + "= ?"
	*arguments = append(*arguments, after[0])
	var choices []string
	for i := range keys {
		var choice strings.Builder
		for j := range i {
			choice.WriteString("+" + keys[j] + " = ? AND ")
			*arguments = append(*arguments, after[j])
		}
		choice.WriteString("+" + keys[i] + " " + sign(i) + " ?")
		*arguments = append(*arguments, after[i])
		choices = append(choices, choice.String())
	}
	return condition + " AND (" + strings.Join(choices, " OR ") + ")"
}
