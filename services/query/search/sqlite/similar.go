package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// setPicture stores the hash of a picture, or removes it if there is none.
func (c *change) setPicture(ctx context.Context, no int64, hash *lookalike.Hash) (err error) {
	if hash == nil {
		_, err = c.ExecContext(ctx, "DELETE FROM picture WHERE no = ?", no)
	} else {
		_, err = c.ExecContext(ctx, "INSERT OR REPLACE INTO picture VALUES (?, ?)", no, int64(*hash))
	}
	return err
}

// Similar returns the pictures that look the same as a file. It reads the hashes of all pictures of the owner, which are in
// one range of the table.
func (x *Index) Similar(ctx context.Context, id string, limit int) (near []search.Near, more bool, err error) {
	of, err := engine.KeyOf(id)
	if err != nil {
		return nil, false, err
	}
	tx, err := x.read.BeginTx(ctx, nil)
	if err != nil {
		return nil, false, fault(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	var no, owner, hash int64
	err = tx.QueryRowContext(ctx, "SELECT p.no, n.owner, p.hash FROM node AS n JOIN picture AS p ON p.no = n.no WHERE n.id = ?", of).Scan(&no, &owner, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fault(err)
	}
	type candidate struct {
		no       int64
		distance int
	}
	var candidates []candidate
	compared := 0
	const all = "SELECT no, hash FROM picture WHERE no BETWEEN ? AND ? ORDER BY no DESC LIMIT ?" // the newest
	err = each(ctx, tx, all, []any{owner * numbers, (owner+1)*numbers - 1, search.MaxPictures + 1}, func(rows *sql.Rows) error {
		var at, other int64
		if err := rows.Scan(&at, &other); err != nil {
			return err
		}
		compared++
		if d := lookalike.Hash(hash).Distance(lookalike.Hash(other)); at != no && d <= lookalike.Near && compared <= search.MaxPictures {
			candidates = append(candidates, candidate{at, d})
		}
		return nil
	})
	if err != nil {
		return nil, false, fault(err)
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	for _, c := range candidates {
		var stored engine.Key
		err := tx.QueryRowContext(ctx, "SELECT id FROM node WHERE no = ? AND kind > 0 AND trashed = 0", c.no).Scan(&stored)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			continue
		case err != nil:
			return nil, false, fault(err)
		}
		found, err := stored.ID()
		if err != nil {
			return nil, false, err
		}
		if near = append(near, search.Near{ID: found, Distance: c.distance}); len(near) == limit {
			break
		}
	}
	return near, compared > search.MaxPictures, nil
}
