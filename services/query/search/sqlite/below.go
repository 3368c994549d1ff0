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

// below returns the numbers of the folders that a filter names, as a JSON array. Names are compared without case and accents. A
// folder whose name the caller may not see, or in whose path there is one, has no effect. who are the parameters of granted.
func below(ctx context.Context, tx querier, owners []int64, f search.Filter, who ...any) (string, error) {
	all := []int64{}
	switch {
	case f.Below != "":
		key, err := engine.KeyOf(f.Below)
		if err != nil {
			return "", err
		}
		var no int64
		err = tx.QueryRowContext(ctx, "SELECT no FROM node WHERE id = ?", key).Scan(&no)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", err
		}
		if err == nil {
			all = append(all, no)
		}
	case f.In != "":
		names := strings.FieldsFunc(f.In, func(r rune) bool { return r == '/' })
		for i, name := range names {
			names[i] = search.SortKey(name)
		}
		var err error
		if all, err = foldersNamed(ctx, tx, owners, names, strings.HasPrefix(f.In, "/"), who); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// foldersNamed returns the folders with the last of the names, below folders with the others. rooted means that the first is in a
// root.
func foldersNamed(ctx context.Context, tx querier, owners []int64, names []string, rooted bool, who []any) ([]int64, error) {
	where, err := json.Marshal(owners)
	if err != nil {
		return nil, err
	}
	const candidates = `SELECT n.no, n.parent FROM json_each(?) AS o CROSS JOIN node AS n INDEXED BY owned_name
		ON n.owner = o.value AND n.kind = ? AND n.sortname = ? WHERE n.kind > 1 AND n.trashed = 0 AND n.parent IS NOT NULL LIMIT ?`
	type candidate struct{ no, above int64 }
	var open []candidate
	last := names[len(names)-1]
	err = each(ctx, tx, candidates, []any{string(where), engine.KindNo(search.KindFolder), last, engine.MaxFolders}, func(rows *sql.Rows) error {
		var c candidate
		err := rows.Scan(&c.no, &c.above)
		open = append(open, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := []int64{}
	for _, c := range open {
		top, found, err := topOf(ctx, tx, c.no, c.above, names[:len(names)-1], rooted)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		var visible bool
		if err := tx.QueryRowContext(ctx, visibleNode, append([]any{sql.Named("no", top)}, who...)...).Scan(&visible); err != nil {
			return nil, err
		}
		if visible {
			all = append(all, c.no)
		}
	}
	return all, nil
}

// visibleNode reports whether a node is the caller's own, or is shared with the caller directly or through a folder above it.
const visibleNode = `WITH RECURSIVE up (no, depth) AS (
	SELECT :no, 0 UNION ALL SELECT n.parent, up.depth + 1 FROM up CROSS JOIN node AS n ON n.no = up.no WHERE n.parent IS NOT NULL AND up.depth < 128
) SELECT EXISTS (SELECT 1 FROM up CROSS JOIN node AS n ON n.no = up.no WHERE n.owner = :me OR n.shared AND ` + granted + `)`

// topOf returns the first of the folders above a folder that have the names, which is the folder itself without names, or its
// root if the path is rooted. found is false if the folders have other names.
func topOf(ctx context.Context, tx querier, no, above int64, names []string, rooted bool) (top int64, found bool, err error) {
	for i := len(names); ; i-- {
		if i == 0 && !rooted {
			return no, true, nil
		}
		no = above
		var kind int
		var name string
		var parent sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT kind, sortname, parent FROM node WHERE no = ?", no).Scan(&kind, &name, &parent); err != nil {
			return 0, false, err
		}
		if i == 0 {
			return no, kind == engine.KindUser, nil
		}
		if name != names[i-1] || !parent.Valid {
			return 0, false, nil
		}
		above = parent.Int64
	}
}
