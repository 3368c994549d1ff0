//go:build !noclients

package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// folders finds the folders with the last of the names, below folders with the others. rooted means that the first is in a root. The topmost
// of the folders, or its root if the path is rooted, must be the caller's own, or shared with the caller directly or through a folder above it.
const folders = `
WITH RECURSIVE
path (no, top, above, rest) AS (
	(SELECT n.no, n.no, n.parent, cardinality(@names::text[]) FROM unnest(@owners::bigint[]) AS o (owner) JOIN node AS n ON n.owner = o.owner
		WHERE n.kind = @kind AND n.sortname = @last AND n.kind > 1 AND NOT n.trashed AND n.parent IS NOT NULL LIMIT @most)
	UNION ALL
	SELECT path.no, n.no, n.parent, path.rest - 1 FROM path JOIN node AS n ON n.no = path.above
	WHERE path.rest > 0 AND n.sortname = (@names::text[])[path.rest] AND n.parent IS NOT NULL
),
candidate (no, top) AS MATERIALIZED (
	SELECT path.no, CASE WHEN @rooted THEN root.no ELSE path.top END FROM path LEFT JOIN node AS root ON root.no = path.above AND root.kind = 1
	WHERE path.rest = 0 AND (NOT @rooted OR root.no IS NOT NULL)
),
up (no, at, depth) AS (
	SELECT no, top, 0 FROM candidate
	UNION ALL
	SELECT up.no, n.parent, up.depth + 1 FROM up JOIN node AS n ON n.no = up.at WHERE n.parent IS NOT NULL AND up.depth < 128
)
SELECT DISTINCT up.no FROM up JOIN node AS n ON n.no = up.at WHERE n.owner = @me OR n.shared AND ` + granted

// below returns the numbers of the folders that a filter names. Names are compared without case and accents. A folder whose name the
// caller may not see, or in whose path there is one, has no effect.
func below(ctx context.Context, tx pgx.Tx, owners []int64, f search.Filter, me int64, principals []string) ([]int64, error) {
	nos := []int64{}
	see := func(rows pgx.Rows) error {
		var no int64
		err := rows.Scan(&no)
		nos = append(nos, no)
		return err
	}
	switch {
	case f.Below != "":
		key, err := engine.KeyOf(f.Below)
		if err != nil {
			return nil, err
		}
		return nos, each(ctx, tx, "SELECT no FROM node WHERE id = $1", []any{[]byte(key)}, see)
	case f.In != "":
		names := strings.FieldsFunc(f.In, func(r rune) bool { return r == '/' })
		for i, name := range names {
			names[i] = storable(search.SortKey(name))
		}
		last := len(names) - 1
		err := each(ctx, tx, folders, []any{pgx.NamedArgs{
			"owners": owners, "kind": engine.KindNo(search.KindFolder), "names": names[:last], "last": names[last], "rooted": strings.HasPrefix(f.In, "/"),
			"most": engine.MaxFolders, "me": me, "principals": principals,
		}}, see)
		return nos, err
	}
	return nos, nil
}
