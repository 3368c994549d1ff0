//go:build !noclients

package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// load reads the rows of items and their parents, and the numbers of their owners. It inserts those that do not exist.
func (c *change) load(ctx context.Context, items []search.Item) error {
	var keys [][]byte
	var owners []string
	for _, item := range items {
		ids := []string{item.ID}
		if item.Parent != "" {
			ids = append(ids, item.Parent)
		}
		for _, id := range ids {
			key, err := engine.KeyOf(id)
			if err != nil {
				return err
			}
			if c.rows[string(key)] == nil {
				c.rows[string(key)] = &row{}
				keys = append(keys, key)
			}
		}
		if _, known := c.owners[item.Owner]; !known {
			c.owners[item.Owner] = 0
			owners = append(owners, item.Owner)
		}
	}
	const newOwners = "INSERT INTO owner (id) SELECT o FROM unnest($1::text[]) AS o WHERE NOT EXISTS (SELECT FROM owner WHERE id = o)"
	if _, err := c.Exec(ctx, newOwners, owners); err != nil {
		return err
	}
	err := each(ctx, c, "SELECT id, no FROM owner WHERE id = ANY($1)", []any{owners}, func(rows pgx.Rows) error {
		var id string
		var no int64
		err := rows.Scan(&id, &no)
		c.owners[id] = no
		return err
	})
	if err != nil {
		return err
	}
	const newNodes = "INSERT INTO node (id) SELECT k FROM unnest($1::bytea[]) AS k WHERE NOT EXISTS (SELECT FROM node WHERE id = k)"
	if _, err := c.Exec(ctx, newNodes, keys); err != nil {
		return err
	}
	const read = `SELECT id, no, kind, version, created, updated, owner, run, textrun, walk, size, parent, trashed, shared, pending, long, status, format, name
		FROM node WHERE id = ANY($1)`
	return each(ctx, c, read, []any{keys}, func(rows pgx.Rows) error {
		var id []byte
		var r row
		err := rows.Scan(&id, &r.no, &r.Kind, &r.Version, &r.Created, &r.Updated, &r.owner, &r.run, &r.textRun, &r.walk, &r.size, &r.parent, &r.trashed, &r.shared,
			&r.pending, &r.long, &r.status, &r.format, &r.name)
		if known := c.rows[string(id)]; known != nil {
			*known = r
		}
		return err
	})
}

// flush writes the changes of rows.
func (c *change) flush(ctx context.Context, walk int64) error {
	var walked, removed []int64
	var changed, renamed []*row
	for _, key := range slices.Sorted(maps.Keys(c.rows)) {
		switch r := c.rows[key]; {
		case r.changed:
			changed = append(changed, r)
			if r.removed {
				removed = append(removed, r.no)
			}
			if r.renamed {
				renamed = append(renamed, r)
			}
		case r.walked:
			walked = append(walked, r.no)
		}
	}
	if len(walked) > 0 {
		if _, err := c.Exec(ctx, "UPDATE node SET walk = $1 WHERE no = ANY($2)", walk, walked); err != nil {
			return err
		}
	}
	if err := c.erase(ctx, removed); err != nil {
		return err
	}
	if err := c.share(ctx, changed); err != nil {
		return err
	}
	if err := c.update(ctx, changed, walk); err != nil {
		return err
	}
	if err := c.reword(ctx, renamed); err != nil {
		return err
	}
	clear(c.rows)
	return nil
}

// update writes the columns of rows.
func (c *change) update(ctx context.Context, changed []*row, walk int64) error {
	if len(changed) == 0 {
		return nil
	}
	n := len(changed)
	numbers := make([][]int64, 9)
	flags := make([][]bool, 4)
	texts := make([][]string, 4)
	parents := make([]*int64, n)
	for i, r := range changed {
		if r.walked {
			r.walk = walk
		}
		for j, number := range []int64{r.no, r.Kind, r.Version, r.Created, r.Updated, r.owner, r.run, r.walk, r.size} {
			numbers[j] = append(numbers[j], number)
		}
		for j, flag := range []bool{r.trashed, len(r.principals) > 0, r.pending, r.removed} {
			flags[j] = append(flags[j], flag)
		}
		for j, text := range []string{r.status, r.format, r.name, storable(search.SortKey(r.name))} {
			texts[j] = append(texts[j], text)
		}
		parents[i] = r.parent
	}
	const statement = `UPDATE node AS n SET kind = u.kind, version = u.version, created = u.created, updated = u.updated, owner = u.owner, run = u.run, walk = u.walk,
		size = u.size, trashed = u.trashed, shared = u.shared, pending = u.pending, status = u.status, format = u.format, name = u.name, sortname = u.sortname, parent = u.parent,
		textrun = CASE WHEN u.removed THEN 0 ELSE n.textrun END, long = n.long AND NOT u.removed
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
			$10::boolean[], $11::boolean[], $12::boolean[], $13::boolean[], $14::text[], $15::text[], $16::text[], $17::text[], $18::bigint[])
			AS u (no, kind, version, created, updated, owner, run, walk, size, trashed, shared, pending, removed, status, format, name, sortname, parent)
		WHERE n.no = u.no`
	var arguments []any
	for _, column := range numbers {
		arguments = append(arguments, column)
	}
	for _, column := range flags {
		arguments = append(arguments, column)
	}
	for _, column := range texts {
		arguments = append(arguments, column)
	}
	_, err := c.Exec(ctx, statement, append(arguments, parents)...)
	return err
}

// share replaces the principals that items are shared with.
func (c *change) share(ctx context.Context, changed []*row) error {
	var before, nodes, owners []int64
	var principals []string
	for _, r := range changed {
		if !r.reshared {
			continue
		}
		if r.shared {
			before = append(before, r.no)
		}
		for _, principal := range r.principals {
			nodes, owners, principals = append(nodes, r.no), append(owners, r.owner), append(principals, storable(principal))
		}
	}
	if before != nil {
		if _, err := c.Exec(ctx, "DELETE FROM share WHERE node = ANY($1)", before); err != nil {
			return err
		}
	}
	if nodes == nil {
		return nil
	}
	_, err := c.Exec(ctx, "INSERT INTO share (node, principal, owner) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[]) ON CONFLICT DO NOTHING", nodes, principals, owners)
	return err
}

// erase removes the words, properties, texts and hashes of items.
func (c *change) erase(ctx context.Context, nos []int64) error {
	if len(nos) == 0 {
		return nil
	}
	for _, table := range []string{"words", "long", "about", "picture", "body"} {
		if _, err := c.Exec(ctx, "DELETE FROM "+table+" WHERE no = ANY($1)", nos); err != nil {
			return err
		}
	}
	return nil
}
