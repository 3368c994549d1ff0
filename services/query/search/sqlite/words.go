package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/terms"
)

// change is a write transaction. It adds the words of nodes at its end, in the order of the nodes' numbers: FTS5
// starts a new segment whenever a number is lower than the previous one.
type change struct {
	*sql.Tx
	x     *Index
	added map[int64]bool // by number, whether the text has changed
}

// index schedules the words of a node to be added at the end of the transaction. text means that its text has changed.
func (c *change) index(no int64, text bool) { c.added[no] = text }

// unindex deletes the words of a node and returns them. Call it before changing the name, the properties or the text.
func (c *change) unindex(ctx context.Context, no int64) (w nodeWords, err error) {
	if w, err = c.words(ctx, no); err != nil {
		return w, err
	}
	if _, scheduled := c.added[no]; scheduled {
		delete(c.added, no)
		return w, nil
	}
	_, err = c.ExecContext(ctx, "INSERT INTO words (words, rowid, name, about, text) VALUES ('delete', ?, ?, ?, ?)", no, w.name, w.about, w.text())
	return w, err
}

// end adds the words of the scheduled nodes.
func (c *change) end(ctx context.Context) error {
	for _, no := range slices.Sorted(maps.Keys(c.added)) {
		w, err := c.words(ctx, no)
		if err != nil {
			return err
		}
		if _, err := c.ExecContext(ctx, "INSERT INTO words (rowid, name, about, text) VALUES (?, ?, ?, ?)", no, w.name, w.about, w.text()); err != nil {
			return err
		}
		if err := c.learn(ctx, w); err != nil {
			return err
		}
		if !c.added[no] || len(w.blocks) < 2 {
			continue
		}
		for i, text := range w.blocks {
			if _, err := c.ExecContext(ctx, "INSERT INTO block (rowid, text) VALUES (?, ?)", blockNo(no, i), distinct(tokens(prefix(w.owner), text))); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodeWords are the tokens of a node.
type nodeWords struct {
	owner       int64
	name, about string
	known       bool     // there is a row of properties
	labels      []string // the name and the properties
	whole       string   // the text
	blocks      []string // the parts of it
}

// text returns the tokens of the text.
func (w nodeWords) text() string { return tokens(prefix(w.owner), w.whole) }

func (c *change) words(ctx context.Context, no int64) (w nodeWords, err error) {
	var name string
	var packed []byte
	const read = "SELECT n.owner, n.name, a.properties FROM node AS n LEFT JOIN about AS a ON a.no = n.no WHERE n.no = ?"
	if err := c.QueryRowContext(ctx, read, no).Scan(&w.owner, &name, &packed); err != nil {
		return w, err
	}
	w.name, w.known, w.labels = tokens(prefix(w.owner), name), packed != nil, []string{name}
	properties, err := unpackProperties(packed)
	if err != nil {
		return w, err
	}
	for _, p := range properties {
		for _, begin := range []string{prefix(w.owner), fieldPrefix(w.owner, terms.FieldOf(p.Field))} {
			w.about += tokens(begin, p.Value) + begin + " " // which ends a property
		}
		w.labels = append(w.labels, p.Value)
	}
	w.whole, w.blocks, err = c.x.blocks(ctx, c, no)
	return w, err
}

// prefix returns the prefix of the tokens of an owner.
func prefix(owner int64) string { return strconv.FormatInt(owner, 36) + "_" }

// fieldPrefix returns the prefix of the tokens of an owner for the words in a field. No prefix of a word begins like it.
func fieldPrefix(owner int64, field string) string { return prefix(owner) + "_" + field + "_" }

// tokens returns the indexed words of a text, each after a prefix.
func tokens(begin, text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4) // about the length of English
	for w := range terms.Words(text) {
		b.WriteString(begin)
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// distinct returns the distinct tokens of a text.
func distinct(tokens string) string {
	seen := map[string]bool{}
	var b strings.Builder
	for token := range strings.FieldsSeq(tokens) {
		if !seen[token] {
			seen[token] = true
			b.WriteString(token)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
