package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/services/query/library/search"
)

// change is a write transaction. It adds the words of nodes at its end, in the order of the nodes' numbers: FTS5
// starts a new segment whenever a number is lower than the previous one.
type change struct {
	*sql.Tx
	x     *Index
	added map[int64]bool
}

// index schedules the words of a node to be added at the end of the transaction.
func (c *change) index(no int64) { c.added[no] = true }

// unindex deletes the words of a node. Call it before changing the name or text.
func (c *change) unindex(ctx context.Context, no int64) error {
	if c.added[no] {
		delete(c.added, no)
		return nil
	}
	return c.reword(ctx, no, "INSERT INTO words (words, rowid, name, text) VALUES ('delete', ?, ?, ?)")
}

// end adds the words of the scheduled nodes.
func (c *change) end(ctx context.Context) error {
	for _, no := range slices.Sorted(maps.Keys(c.added)) {
		if err := c.reword(ctx, no, "INSERT INTO words (rowid, name, text) VALUES (?, ?, ?)"); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) reword(ctx context.Context, no int64, statement string) error {
	var owner int64
	var name string
	if err := c.QueryRowContext(ctx, "SELECT owner, name FROM node WHERE no = ?", no).Scan(&owner, &name); err != nil {
		return err
	}
	text, err := c.x.body(ctx, c, no)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, statement, no, tokens(owner, name), tokens(owner, text))
	return err
}

// prefix returns the prefix of the tokens of an owner.
func prefix(owner int64) string { return strconv.FormatInt(owner, 36) + "_" }

// tokens returns the indexed words of a text.
func tokens(owner int64, text string) string {
	begin := prefix(owner)
	var b strings.Builder
	for w := range search.Words(text) {
		b.WriteString(begin)
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}
