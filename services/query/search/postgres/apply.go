//go:build !noclients

package postgres

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// batch is the number of items written in one transaction of a build.
const batch = 1000

// Apply applies events up to a sequence.
func (x *Index) Apply(ctx context.Context, changes []search.Item, sequence uint64) error {
	return x.transaction(ctx, func(tx *change) error {
		if err := tx.apply(ctx, changes, 0); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE state SET sequence = $1", int64(sequence))
		return err
	})
}

// Build replaces the content of the index with exactly these items. The index has no position until all are written.
func (x *Index) Build(ctx context.Context, items iter.Seq2[search.Item, error], sequence uint64) error {
	var walk int64
	err := x.transaction(ctx, func(tx *change) error {
		return tx.QueryRow(ctx, "UPDATE state SET sequence = NULL, ready = false, walk = walk + 1 RETURNING walk").Scan(&walk)
	})
	if err != nil {
		return err
	}
	var next []search.Item
	write := func() error {
		defer func() { next = next[:0] }()
		return x.transaction(ctx, func(tx *change) error { return tx.apply(ctx, next, walk) })
	}
	for item, err := range items {
		if err != nil {
			return err
		}
		if next = append(next, item); len(next) == batch {
			if err := write(); err != nil {
				return err
			}
		}
	}
	if err := write(); err != nil {
		return err
	}
	return x.transaction(ctx, func(tx *change) error {
		if err := tx.removeOthers(ctx, walk); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE state SET sequence = $1", int64(sequence))
		return err
	})
}

// removeOthers removes items that a scan did not return. Rows of removed items are retained only while they are parents.
func (c *change) removeOthers(ctx context.Context, walk int64) error {
	for _, statement := range []string{
		"DELETE FROM words WHERE no IN (SELECT no FROM node WHERE walk <> $1)",
		"DELETE FROM long WHERE no IN (SELECT no FROM node WHERE walk <> $1)",
		"DELETE FROM about WHERE no IN (SELECT no FROM node WHERE walk <> $1)",
		"DELETE FROM picture WHERE no IN (SELECT no FROM node WHERE walk <> $1)",
		"DELETE FROM body WHERE no IN (SELECT no FROM node WHERE walk <> $1)",
		"DELETE FROM share WHERE node IN (SELECT no FROM node WHERE walk <> $1)",
		"DELETE FROM node AS n WHERE walk <> $1 AND NOT EXISTS (SELECT FROM node AS child WHERE child.parent = n.no AND child.walk = $1)",
		"UPDATE node SET kind = 0, parent = NULL, version = 0, textrun = 0, pending = false, shared = false, long = false WHERE walk <> $1",
	} {
		if _, err := c.Exec(ctx, statement, walk); err != nil {
			return err
		}
	}
	return nil
}

// row is the indexed state of an item, and how a change alters it.
type row struct {
	engine.State
	no, owner, run, textRun, walk, size int64
	parent                              *int64
	trashed, shared, pending, long      bool
	status, format, name                string

	principals               []string
	changed, walked, renamed bool // since the row was read
	removed                  bool // its words, and since then it may have new ones
	reshared                 bool
}

// change is a write transaction. It collects the changes of rows, and writes them together.
type change struct {
	pgx.Tx
	x      *Index
	built  bool
	rows   map[string]*row // by key
	owners map[string]int64
}

// apply writes events. A nonzero walk means that the items were read from the tables and take precedence regardless of
// their versions.
func (c *change) apply(ctx context.Context, items []search.Item, walk int64) error {
	if err := c.load(ctx, items); err != nil {
		return err
	}
	for _, item := range items {
		if err := c.applyOne(item, walk); err != nil {
			return fmt.Errorf("item %s: %w", item.ID, err)
		}
	}
	return c.flush(ctx, walk)
}

func (c *change) applyOne(item search.Item, walk int64) error {
	r, err := c.row(item.ID)
	if err != nil {
		return err
	}
	switch {
	case walk != 0 && r.Same(item):
		r.walked = true
		return nil
	case walk == 0 && r.Stale(item):
		return nil
	}
	before, name, owner := r.Kind, r.name, r.owner
	r.changed = true
	r.principals, r.reshared = nil, true
	r.State = engine.State{Version: item.Version, Created: item.Created.UnixMilli(), Updated: item.Changed.UnixMilli()}
	if item.Removed {
		r.parent, r.pending, r.textRun, r.name, r.long = nil, false, 0, "", false
		r.removed, r.renamed = true, false
		return nil
	}
	if r.Kind = int64(engine.KindNo(item.Kind)); r.Kind == 0 {
		return fmt.Errorf("unknown kind %q", item.Kind)
	}
	r.parent = nil
	if item.Parent != "" {
		above, err := c.row(item.Parent)
		if err != nil {
			return err
		}
		r.parent = &above.no
	}
	if walk != 0 {
		r.walk = walk
	}
	r.owner, r.trashed, r.principals = c.owners[item.Owner], item.Trashed, engine.PrincipalsOf(item)
	r.run, r.pending = item.Run, item.Finished && r.textRun != item.Run
	r.size, r.status, r.format, r.name = item.Size, storable(item.Status), "", storable(item.Name)
	if item.Kind == search.KindFile {
		r.format = terms.FormatOf(item.Name)
	}
	r.renamed = r.renamed || r.Kind > engine.KindUser && (before == 0 || name != r.name || owner != r.owner)
	return nil
}

// storable returns a text without zero bytes and invalid UTF-8, which the server does not store.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\ufffd"), "\ufffd")
}

func (c *change) row(id string) (*row, error) {
	key, err := engine.KeyOf(id)
	if err != nil {
		return nil, err
	}
	return c.rows[string(key)], nil
}
