package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// Pending returns files whose text is not indexed. If there are none after a build, it merges the words of all files first.
func (x *Index) Pending(ctx context.Context, limit int) ([]search.Pending, error) {
	for more := true; ; {
		all, err := x.pending(ctx, limit)
		if err != nil || len(all) > 0 || !more {
			return all, err
		}
		if more, err = x.merge(ctx); err != nil {
			return nil, err
		}
	}
}

func (x *Index) pending(ctx context.Context, limit int) ([]search.Pending, error) {
	var all []search.Pending
	err := each(ctx, x.read, "SELECT id, run FROM node INDEXED BY node_pending WHERE pending = 1 LIMIT ?", []any{limit}, func(rows *sql.Rows) error {
		var stored engine.Key
		var p search.Pending
		err := rows.Scan(&stored, &p.Run)
		if err == nil {
			p.ID, err = stored.ID()
		}
		all = append(all, p)
		return err
	})
	return all, err
}

// SetTexts stores the texts and properties of files.
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
	key, err := engine.KeyOf(t.ID)
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
	w, err := tx.unindex(ctx, no)
	if err != nil {
		return err
	}
	if w.known || len(t.Properties) > 0 || t.Cut != "" {
		properties, err := json.Marshal(t.Properties)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO about VALUES (?, ?, ?)", no, string(properties), t.Cut); err != nil {
			return err
		}
	}
	if err := tx.setPicture(ctx, no, t.Picture); err != nil {
		return err
	}
	blocks := split(t.Text)
	if err := tx.setBlocks(ctx, no, len(w.blocks), blocks, search.Places(t.Text, t.PageType, blocks)); err != nil {
		return err
	}
	tx.index(no, true)
	return nil
}

// unpackProperties returns the properties in a row of about. There are none without a row.
func unpackProperties(packed []byte) (properties []search.Property, err error) {
	if packed == nil {
		return nil, nil
	}
	if err := json.Unmarshal(packed, &properties); err != nil {
		return nil, errors.Join(search.ErrDamaged, err)
	}
	return properties, nil
}

// Has reports whether the index has a version of a node and, for a file, its text and properties.
func (x *Index) Has(ctx context.Context, id string, version int64) (bool, error) {
	key, err := engine.KeyOf(id)
	if err != nil {
		return false, err
	}
	var found bool
	err = x.read.QueryRowContext(ctx, "SELECT count(*) FROM node WHERE id = ? AND version >= ? AND pending = 0", key, version).Scan(&found)
	return found, fault(err)
}
