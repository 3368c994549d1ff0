//go:build !noclients

package postgres

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// near compares the newest pictures of an owner with a hash.
const near = `
SELECT n.id, p.distance FROM (
	SELECT no, bit_count((hash # $2)::bit(64)) AS distance FROM (SELECT no, hash FROM picture WHERE owner = $1 ORDER BY no DESC LIMIT $3) AS newest
) AS p JOIN node AS n ON n.no = p.no
WHERE p.distance <= $4 AND p.no <> $5 AND n.kind > 0 AND NOT n.trashed ORDER BY p.distance, p.no DESC LIMIT $6`

// Similar returns the pictures that look the same as a file.
func (x *Index) Similar(ctx context.Context, id string, limit int) (found []search.Near, more bool, err error) {
	of, err := engine.KeyOf(id)
	if err != nil {
		return nil, false, err
	}
	err = x.read(ctx, func(tx pgx.Tx, _ uint64) error {
		var no, owner, hash int64
		err := tx.QueryRow(ctx, "SELECT p.no, p.owner, p.hash FROM node AS n JOIN picture AS p ON p.no = n.no WHERE n.id = $1", []byte(of)).Scan(&no, &owner, &hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		const many = "SELECT EXISTS (SELECT FROM picture WHERE owner = $1 ORDER BY no DESC OFFSET $2)"
		if err := tx.QueryRow(ctx, many, owner, search.MaxPictures).Scan(&more); err != nil {
			return err
		}
		return each(ctx, tx, near, []any{owner, hash, search.MaxPictures, lookalike.Near, no, limit}, func(rows pgx.Rows) error {
			var key []byte
			var n search.Near
			err := rows.Scan(&key, &n.Distance)
			if err == nil {
				n.ID, err = engine.Key(key).ID()
			}
			found = append(found, n)
			return err
		})
	})
	return found, more, err
}

// Expire removes items that exceed limits, the oldest first.
func (x *Index) Expire(ctx context.Context, l search.Limits, now time.Time, limit int) (removed int, err error) {
	err = x.transaction(ctx, func(tx *change) error {
		owner, err := numberOf(ctx, tx, l.Owner)
		if err != nil || owner == 0 {
			return err
		}
		kind, before := engine.KindNo(l.Kind), int64(math.MinInt64)
		if l.Age > 0 {
			before = now.Add(-l.Age).UnixMilli()
		}
		if l.Items > 0 {
			var excess *int64
			const newest = "SELECT max(created) FROM (SELECT created FROM node WHERE owner = $1 AND kind = $2 AND kind > 1 AND NOT trashed ORDER BY created DESC OFFSET $3 LIMIT 1) AS n"
			if err := tx.QueryRow(ctx, newest, owner, kind, l.Items).Scan(&excess); err != nil {
				return err
			}
			if excess != nil {
				before = max(before, *excess+1)
			}
		}
		var old []int64
		const expired = "SELECT no FROM node WHERE owner = $1 AND kind = $2 AND kind > 1 AND NOT trashed AND created < $3 ORDER BY created LIMIT $4"
		err = each(ctx, tx, expired, []any{owner, kind, before, limit}, func(rows pgx.Rows) error {
			var no int64
			err := rows.Scan(&no)
			old = append(old, no)
			return err
		})
		if err != nil || len(old) == 0 {
			return err
		}
		removed = len(old)
		if err := tx.erase(ctx, old); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM share WHERE node = ANY ($1)", old); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM node WHERE no = ANY ($1)", old)
		return err
	})
	return removed, err
}
