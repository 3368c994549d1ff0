package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

const (
	ownerNumber = "SELECT no FROM owner WHERE id = ?"
	grantors    = "SELECT DISTINCT g.owner FROM json_each(?) AS p CROSS JOIN grantor AS g ON g.principal = p.value WHERE g.owner <> ? LIMIT ? + 0"
)

// numberOf returns the number of an owner, or 0 if the owner has no nodes.
func numberOf(ctx context.Context, q querier, id string) (no int64, err error) {
	err = q.QueryRowContext(ctx, ownerNumber, id).Scan(&no)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return no, err
}

// owners returns the caller's owner number, or 0, and the numbers of all owners with nodes that the caller may see,
// its own first.
func owners(ctx context.Context, tx querier, c search.Caller) (me int64, all []int64, err error) {
	if c.Owner != "" { // items without an owner belong to nobody
		if me, err = numberOf(ctx, tx, c.Owner); err != nil {
			return 0, nil, err
		}
	}
	if me != 0 {
		all = append(all, me)
	}
	who, err := json.Marshal(engine.Principals(c))
	if err != nil {
		return 0, nil, err
	}
	err = each(ctx, tx, grantors, []any{string(who), me, engine.MaxOwners - len(all)}, func(rows *sql.Rows) error {
		var no int64
		err := rows.Scan(&no)
		all = append(all, no)
		return err
	})
	return me, all, err
}

// expression returns the FTS5 query for one library. Words contain no quotation marks, the only character
// that would have to be escaped.
func expression(owner int64, terms search.Terms) string {
	var with, without []string
	for _, t := range terms {
		begin, column := prefix(owner), ""
		switch t.Field {
		case "":
		case "name", "text":
			column = t.Field + " : "
		default:
			begin, column = fieldPrefix(owner, t.Field), "about : "
		}
		either := phrase(begin, t.Words)
		if t.Prefix {
			either += " *"
		}
		for _, word := range t.Also {
			either += " OR " + phrase(begin, []string{word})
		}
		either = column + "(" + either + ")"
		if t.Not {
			without = append(without, either)
		} else {
			with = append(with, either)
		}
	}
	all := "(" + strings.Join(with, " AND ") + ")"
	if len(without) > 0 {
		all += " NOT (" + strings.Join(without, " OR ") + ")"
	}
	return all
}

// phrase returns the FTS5 query for consecutive words, each after a prefix.
func phrase(begin string, words []string) string {
	return `"` + begin + strings.Join(words, " "+begin) + `"`
}
