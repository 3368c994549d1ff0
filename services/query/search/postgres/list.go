//go:build !noclients

package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// columns are the sort columns of lists. Each is in the indexes child_* and owned_*.
var columns = map[search.SortBy]string{search.ByName: "sortname", search.BySize: "size", search.ByCreated: "created", search.ByUpdated: "updated"}

// statement is a statement with its arguments.
type statement struct {
	strings.Builder
	arguments []any
}

// bind adds an argument and returns its placeholder.
func (s *statement) bind(argument any) string {
	s.arguments = append(s.arguments, argument)
	return "$" + strconv.Itoa(len(s.arguments))
}

// from writes the FROM and WHERE clauses of a list.
func (s *statement) from(ctx context.Context, tx pgx.Tx, l search.Listing) error {
	switch {
	case l.Shared != nil:
		who, me := []string{engine.Everyone}, int64(0)
		if !l.Shared.Public {
			var err error
			if me, err = numberOf(ctx, tx, l.Shared.Owner); err != nil {
				return err
			}
			who = engine.Principals(search.Caller{Owner: l.Shared.Owner, Groups: l.Shared.Groups})[1:]
		}
		fmt.Fprintf(s, " FROM (SELECT DISTINCT node AS no FROM share WHERE principal = ANY (%s::text[])) AS s JOIN node AS n ON n.no = s.no WHERE n.owner <> %s AND NOT n.trashed",
			s.bind(who), s.bind(me))
	case l.Owner != "":
		me, err := numberOf(ctx, tx, l.Owner)
		if err != nil {
			return err
		}
		fmt.Fprintf(s, " FROM node AS n WHERE n.owner = %s AND n.kind = %s AND n.kind > 1 AND NOT n.trashed", s.bind(me), s.bind(engine.KindNo(l.Kind)))
	default:
		parent, err := engine.KeyOf(l.Parent)
		if err != nil {
			return err
		}
		fmt.Fprintf(s, " FROM node AS n WHERE n.parent = (SELECT no FROM node WHERE id = %s) AND n.parent IS NOT NULL AND NOT n.trashed AND n.kind > 1", s.bind([]byte(parent)))
	}
	return nil
}

// after writes the condition that an entry follows the entry of a cursor. Its first part lets a scan of an index start at that entry.
func (s *statement) after(keys []string, descending []bool, values []any) {
	places := make([]string, len(values))
	for i, value := range values {
		if number, is := value.(float64); is {
			value = int64(number)
		}
		places[i] = s.bind(value)
	}
	sign := func(i int) string {
		if descending[i] {
			return "<"
		}
		return ">"
	}
	var choices []string
	for i := range keys {
		var choice []string
		for j := range i {
			choice = append(choice, keys[j]+" = "+places[j])
		}
		choices = append(choices, strings.Join(append(choice, keys[i]+" "+sign(i)+" "+places[i]), " AND "))
	}
	fmt.Fprintf(s, " AND %s %s= %s AND (%s)", keys[0], sign(0), places[0], strings.Join(choices, " OR "))
}

// listOf returns the statement of a page of a list. The id is the last key, in the direction of the key before it.
func listOf(ctx context.Context, tx pgx.Tx, l search.Listing, order []search.Key, after []any) (*statement, error) {
	var keys, sorted []string
	var descending []bool
	for _, k := range order {
		keys, descending = append(keys, "n."+columns[k.By]), append(descending, k.Descending)
	}
	keys, descending = append(keys, "n.id"), append(descending, order[len(order)-1].Descending)
	for i, key := range keys {
		if descending[i] {
			key += " DESC"
		}
		sorted = append(sorted, key)
	}
	s := &statement{}
	fmt.Fprintf(s, "SELECT %s", strings.Join(keys, ", "))
	if err := s.from(ctx, tx, l); err != nil {
		return nil, err
	}
	if after != nil {
		s.after(keys, descending, after)
	}
	if l.Kind != "" {
		fmt.Fprintf(s, " AND n.kind = %s", s.bind(engine.KindNo(l.Kind)))
	}
	if l.Status != "" {
		fmt.Fprintf(s, " AND n.status = %s", s.bind(storable(l.Status)))
	}
	fmt.Fprintf(s, " ORDER BY %s LIMIT %s", strings.Join(sorted, ", "), s.bind(l.Limit))
	return s, nil
}

// List returns a page of a sorted list.
func (x *Index) List(ctx context.Context, l search.Listing) (page search.Page, err error) {
	shared := search.Shared{}
	if l.Shared != nil {
		shared = *l.Shared
	}
	order := l.Sort
	if len(order) == 0 {
		order = []search.Key{{By: search.ByCreated, Descending: true}}
	}
	scope := engine.Scope(l.Parent, l.Owner, shared, l.Kind, l.Status, l.Sort)
	after, err := engine.Values(l.Cursor, scope, len(order))
	if err != nil {
		return page, err
	}
	err = x.read(ctx, func(tx pgx.Tx, sequence uint64) error {
		page.Sequence = sequence
		s, err := listOf(ctx, tx, l, order, after)
		if err != nil {
			return err
		}
		return each(ctx, tx, s.String(), s.arguments, func(rows pgx.Rows) error {
			last, err := rows.Values()
			if err != nil {
				return err
			}
			key, _ := last[len(order)].([]byte)
			id, err := engine.Key(key).ID()
			if err != nil {
				return err
			}
			if page.IDs = append(page.IDs, id); len(page.IDs) == l.Limit {
				page.Next = engine.CursorAt(scope, last[:len(order)], id)
			}
			return nil
		})
	})
	return page, err
}
