package sqlite

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// Expire removes items that exceed limits, the oldest first.
func (x *Index) Expire(ctx context.Context, l search.Limits, now time.Time, limit int) (int, error) {
	removed := 0
	err := x.transaction(ctx, func(tx *change) error {
		owner, err := numberOf(ctx, tx, l.Owner)
		if err != nil || owner == 0 {
			return err
		}
		kind := engine.KindNo(l.Kind)
		before := int64(math.MinInt64)
		if l.Age > 0 {
			before = now.Add(-l.Age).UnixMilli()
		}
		if l.Items > 0 {
			var excess sql.NullInt64
			const newest = "SELECT (SELECT created FROM node INDEXED BY owned_created WHERE owner = ? AND kind = ? AND kind > 1 AND trashed = 0 ORDER BY created DESC LIMIT 1 OFFSET ?)"
			if err := tx.QueryRowContext(ctx, newest, owner, kind, l.Items).Scan(&excess); err != nil {
				return err
			}
			if excess.Valid {
				before = max(before, excess.Int64+1)
			}
		}
		const old = "SELECT no FROM node INDEXED BY owned_created WHERE owner = ? AND kind = ? AND kind > 1 AND trashed = 0 AND created < ? ORDER BY created LIMIT ?"
		var expired []int64
		err = each(ctx, tx, old, []any{owner, kind, before, limit}, func(rows *sql.Rows) error {
			var no int64
			err := rows.Scan(&no)
			expired = append(expired, no)
			return err
		})
		if err != nil {
			return err
		}
		for _, no := range expired {
			if err := tx.erase(ctx, no); err != nil {
				return err
			}
			for _, statement := range []string{"DELETE FROM share WHERE node = ?", "DELETE FROM node WHERE no = ?"} {
				if _, err := tx.ExecContext(ctx, statement, no); err != nil {
					return err
				}
			}
		}
		removed = len(expired)
		return nil
	})
	return removed, err
}
