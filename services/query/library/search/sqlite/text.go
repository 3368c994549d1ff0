package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/query/library/search"
)

// Pending returns files whose text is not indexed.
func (x *Index) Pending(ctx context.Context, limit int) ([]search.Pending, error) {
	var all []search.Pending
	err := each(ctx, x.read, "SELECT id, run FROM node INDEXED BY node_pending WHERE pending = 1 LIMIT ?", []any{limit}, func(rows *sql.Rows) error {
		var id uuid.UUID
		var p search.Pending
		err := rows.Scan(&id, &p.Run)
		p.ID = id.String()
		all = append(all, p)
		return err
	})
	return all, err
}

// SetTexts stores the texts of files.
func (x *Index) SetTexts(ctx context.Context, texts []search.Text) error {
	return x.transaction(ctx, func(tx *change) error {
		for _, t := range texts {
			if err := x.setText(ctx, tx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *Index) setText(ctx context.Context, tx *change, t search.Text) error {
	key, err := keyOf(t.ID)
	if err != nil {
		return err
	}
	var no int64
	err = tx.QueryRowContext(ctx, "UPDATE node SET pending = 0, textrun = run WHERE id = ? AND run = ? AND pending = 1 RETURNING no", key, t.Run).Scan(&no)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.unindex(ctx, no); err != nil {
		return err
	}
	if t.Text == "" {
		_, err = tx.ExecContext(ctx, "DELETE FROM body WHERE no = ?", no)
	} else {
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO body VALUES (?, ?)", no, x.pack.EncodeAll([]byte(t.Text), nil))
	}
	if err != nil {
		return err
	}
	tx.index(no)
	return nil
}

// body returns the text of a node, or "" if there is none.
func (x *Index) body(ctx context.Context, q querier, no int64) (string, error) {
	var packed []byte
	err := q.QueryRowContext(ctx, "SELECT text FROM body WHERE no = ?", no).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fault(err)
	}
	return x.unpacked(packed)
}

func (x *Index) unpacked(packed []byte) (string, error) {
	text, err := x.unpack.DecodeAll(packed, nil)
	if err != nil {
		return "", errors.Join(search.ErrDamaged, err)
	}
	return string(text), nil
}

// Has reports whether the index has a version of a node and, for a file, its text.
func (x *Index) Has(ctx context.Context, id string, version int64) (bool, error) {
	key, err := keyOf(id)
	if err != nil {
		return false, err
	}
	var found bool
	err = x.read.QueryRowContext(ctx, "SELECT count(*) FROM node WHERE id = ? AND version >= ? AND pending = 0", key, version).Scan(&found)
	return found, fault(err)
}
