package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// batch is the number of nodes written in one transaction.
const batch = 1000

// Apply applies events up to a sequence.
func (x *Index) Apply(ctx context.Context, changes []search.Item, sequence uint64) error {
	return x.transaction(ctx, func(tx *change) error {
		for _, c := range changes {
			if err := x.apply(ctx, tx, c, 0); err != nil {
				return fmt.Errorf("item %s: %w", c.ID, err)
			}
		}
		return setPosition(ctx, tx.Tx, sequence)
	})
}

// Build replaces the content of the index with exactly these items. The index has no position until all are written.
func (x *Index) Build(ctx context.Context, items iter.Seq2[search.Item, error], sequence uint64) error {
	var walk int64
	err := x.transaction(ctx, func(tx *change) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM state WHERE name = 'sequence'"); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT coalesce(max(walk), 0) + 1 FROM node").Scan(&walk)
	})
	if err != nil {
		return err
	}
	next, stop := iter.Pull2(items)
	defer stop()
	for more := true; more; {
		err := x.transaction(ctx, func(tx *change) error {
			for range batch {
				var n search.Item
				var err error
				if n, err, more = next(); !more || err != nil {
					return err
				}
				if err := x.apply(ctx, tx, n, walk); err != nil {
					return fmt.Errorf("item %s: %w", n.ID, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return x.transaction(ctx, func(tx *change) error {
		if err := x.removeOthers(ctx, tx, walk); err != nil {
			return err
		}
		if err := mergeLater(ctx, tx.Tx); err != nil {
			return err
		}
		return setPosition(ctx, tx.Tx, sequence)
	})
}

// removeOthers removes nodes that a scan did not return. Rows of removed nodes are retained only while they are parents.
func (x *Index) removeOthers(ctx context.Context, tx *change, walk int64) error {
	err := each(ctx, tx, "SELECT no FROM node WHERE walk <> ? AND kind > 1", []any{walk}, func(rows *sql.Rows) error {
		var no int64
		if err := rows.Scan(&no); err != nil {
			return err
		}
		return tx.erase(ctx, no)
	})
	if err != nil {
		return err
	}
	for _, statement := range []string{
		"DELETE FROM share WHERE node IN (SELECT no FROM node WHERE walk <> ?)",
		"DELETE FROM node WHERE walk <> ?1 AND no NOT IN (SELECT parent FROM node WHERE walk = ?1 AND parent IS NOT NULL)",
		"UPDATE node SET kind = 0, parent = NULL, version = 0, pending = 0, shared = 0 WHERE walk <> ?",
	} {
		if _, err := tx.ExecContext(ctx, statement, walk); err != nil {
			return err
		}
	}
	return nil
}

// row is the indexed state of a node before a change.
type row struct {
	engine.State
	no, run, textRun, walk int64
	name                   string
	shared                 bool
}

// numbers is the size of the range of numbers for the nodes of one owner. The ranges do not overlap, so that the rows of
// a library occupy few pages of each table. The numbers of blocks, which are larger, leave room for 8 million owners.
const numbers = 1 << 30

// find returns the row of a node, and inserts it if there is none.
func find(ctx context.Context, tx *sql.Tx, id string, owner int64) (row, error) {
	var r row
	key, err := engine.KeyOf(id)
	if err != nil {
		return r, err
	}
	err = tx.QueryRowContext(ctx, "SELECT no, kind, version, run, textrun, walk, created, updated, name, shared FROM node WHERE id = ?", []byte(key)).
		Scan(&r.no, &r.Kind, &r.Version, &r.run, &r.textRun, &r.walk, &r.Created, &r.Updated, &r.name, &r.shared)
	if errors.Is(err, sql.ErrNoRows) {
		const insert = "INSERT INTO node (no, id) SELECT coalesce(max(no), ?1) + 1, ?3 FROM node WHERE no BETWEEN ?1 AND ?2 RETURNING no"
		err = tx.QueryRowContext(ctx, insert, owner*numbers, (owner+1)*numbers-2, []byte(key)).Scan(&r.no)
		if err == nil && r.no == (owner+1)*numbers-1 {
			err = fmt.Errorf("%w: all numbers of an owner are in use", search.ErrDamaged)
		}
	}
	return r, err
}

// apply writes one event. A nonzero walk means that the node was read from the tables and takes precedence regardless
// of its version.
func (x *Index) apply(ctx context.Context, tx *change, c search.Item, walk int64) error {
	owner, err := ownerNo(ctx, tx.Tx, c.Owner)
	if err != nil {
		return err
	}
	r, err := find(ctx, tx.Tx, c.ID, owner)
	if err != nil {
		return err
	}
	switch {
	case walk != 0 && r.Same(c):
		_, err := tx.ExecContext(ctx, "UPDATE node SET walk = ? WHERE no = ?", walk, r.no)
		return err
	case walk == 0 && r.Stale(c):
		return nil
	case c.Removed:
		return x.remove(ctx, tx, r, c)
	}
	if walk == 0 {
		walk = r.walk
	}
	kind := engine.KindNo(c.Kind)
	if kind == 0 {
		return fmt.Errorf("unknown kind %q", c.Kind)
	}
	var parent any
	if c.Parent != "" {
		above, err := find(ctx, tx.Tx, c.Parent, owner)
		if err != nil {
			return err
		}
		parent = above.no
	}
	principals := engine.PrincipalsOf(c)
	if err := share(ctx, tx.Tx, r, owner, principals); err != nil {
		return err
	}
	format := ""
	if engine.Kinds[kind] == search.KindFile {
		format = terms.FormatOf(c.Name)
	}
	reword := kind > engine.KindUser && (r.Kind == 0 || r.name != c.Name)
	if reword && r.Kind > engine.KindUser {
		if _, err := tx.unindex(ctx, r.no); err != nil {
			return err
		}
	}
	pending := c.Finished && r.textRun != c.Run
	_, err = tx.ExecContext(ctx, `UPDATE node SET kind = ?, owner = ?, parent = ?, trashed = ?, shared = ?, version = ?, run = ?,
		pending = ?, walk = ?, created = ?, updated = ?, size = ?, status = ?, format = ?, name = ?, sortname = ? WHERE no = ?`,
		kind, owner, parent, c.Trashed, len(principals) > 0, c.Version, c.Run, pending, walk,
		c.Created.UnixMilli(), c.Changed.UnixMilli(), c.Size, c.Status, format, c.Name, search.SortKey(c.Name), r.no)
	if err != nil || !reword {
		return err
	}
	tx.index(r.no, false)
	return nil
}

// erase removes the words, properties, text and hash of a node.
func (c *change) erase(ctx context.Context, no int64) error {
	w, err := c.unindex(ctx, no)
	if err == nil && w.known {
		_, err = c.ExecContext(ctx, "DELETE FROM about WHERE no = ?", no)
	}
	if err == nil {
		err = c.setPicture(ctx, no, nil)
	}
	if err != nil {
		return err
	}
	return c.setBlocks(ctx, no, len(w.blocks), nil, nil)
}

// remove marks a node as removed and retains its row with the last version.
func (x *Index) remove(ctx context.Context, tx *change, r row, c search.Item) error {
	if err := share(ctx, tx.Tx, r, 0, nil); err != nil {
		return err
	}
	if r.Kind > engine.KindUser {
		if err := tx.erase(ctx, r.no); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE node SET kind = 0, parent = NULL, shared = 0, pending = 0, textrun = 0, name = '', sortname = '',
		version = ?, created = ?, updated = ? WHERE no = ?`, c.Version, c.Created.UnixMilli(), c.Changed.UnixMilli(), r.no)
	return err
}

func ownerNo(ctx context.Context, tx *sql.Tx, id string) (no int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT no FROM owner WHERE id = ?", id).Scan(&no)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, "INSERT INTO owner (id) VALUES (?) RETURNING no", id).Scan(&no)
	}
	return no, err
}

// share replaces the principals that a node is shared with.
func share(ctx context.Context, tx *sql.Tx, r row, owner int64, principals []string) error {
	if r.shared {
		if _, err := tx.ExecContext(ctx, "DELETE FROM share WHERE node = ?", r.no); err != nil {
			return err
		}
	}
	for _, principal := range principals {
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO share VALUES (?, ?, ?)", r.no, principal, owner); err != nil {
			return err
		}
	}
	return nil
}
