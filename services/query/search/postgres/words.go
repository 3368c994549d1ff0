//go:build !noclients

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
)

// content is what the words of an item are made of.
type content struct {
	no, owner  int64
	name       string
	properties []search.Property
	parts      []string // the text
	long       bool     // the words are in long
	// keep means that the words of the text are in long and have not changed.
	keep bool
}

// reword writes the words of items with new names.
func (c *change) reword(ctx context.Context, renamed []*row) error {
	if len(renamed) == 0 {
		return nil
	}
	at := map[int64]*content{}
	var nos, short []int64
	contents := make([]*content, len(renamed))
	for i, r := range renamed {
		contents[i] = &content{no: r.no, owner: r.owner, name: r.name, long: r.long, keep: r.long}
		at[r.no] = contents[i]
		nos = append(nos, r.no)
		if !r.long {
			short = append(short, r.no)
		}
	}
	err := each(ctx, c, "SELECT no, properties FROM about WHERE no = ANY($1)", []any{nos}, func(rows pgx.Rows) error {
		var no int64
		var packed []byte
		err := rows.Scan(&no, &packed)
		if err == nil {
			at[no].properties, err = unpackProperties(packed)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = each(ctx, c, "SELECT no, text FROM body WHERE no = ANY($1) ORDER BY no, part", []any{short}, func(rows pgx.Rows) error {
		var no int64
		var packed []byte
		if err := rows.Scan(&no, &packed); err != nil {
			return err
		}
		text, err := c.x.unpacked(packed)
		at[no].parts = append(at[no].parts, text)
		return err
	})
	if err != nil {
		return err
	}
	return c.write(ctx, contents)
}

// write writes the words of items, and adds them to the vocabularies.
func (c *change) write(ctx context.Context, contents []*content) error {
	var short, replaced, longer []int64
	var labels, words []string
	long := newParts()
	for _, t := range contents {
		label := newVector()
		label.addLabels(t.owner, t.name, t.properties)
		if t.keep {
			replaced = append(replaced, t.no)
			long.add(t.no, 0, label)
			continue
		}
		if len(t.parts) > 1 || label.at > labelWords || label.most > labelRepeats {
			longer = append(longer, t.no)
			long.add(t.no, 0, label)
			for i, part := range t.parts {
				v := newVector()
				v.add(prefix(t.owner), part, textWeight, all)
				v.add(prefix(t.owner), ahead(t.parts, i), textWeight, overlap)
				long.add(t.no, i+1, v)
			}
			continue
		}
		short = append(short, t.no)
		labels = append(labels, label.String())
		for _, part := range t.parts {
			label.add(prefix(t.owner), part, textWeight, all)
		}
		words = append(words, label.String())
	}
	everything := slices.Concat(short, longer)
	for _, step := range []struct {
		statement string
		arguments []any
	}{
		{"DELETE FROM long WHERE no = ANY($1) AND part = 0", []any{replaced}},
		{"DELETE FROM long WHERE no = ANY($1)", []any{everything}},
		{"DELETE FROM words WHERE no = ANY($1)", []any{everything}},
		{"UPDATE node SET long = true WHERE no = ANY($1) AND NOT long", []any{longer}},
		{"UPDATE node SET long = false WHERE no = ANY($1) AND long", []any{short}},
		{"INSERT INTO words (no, labels, all_words) SELECT no, labels::tsvector, all_words::tsvector FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u (no, labels, all_words)", []any{short, labels, words}},
	} {
		if nos, _ := step.arguments[0].([]int64); len(nos) == 0 {
			continue
		}
		if _, err := c.Exec(ctx, step.statement, step.arguments...); err != nil {
			return err
		}
	}
	if err := long.insert(ctx, c); err != nil {
		return err
	}
	return c.learn(ctx, contents)
}

// partRows collects rows of long.
type partRows struct {
	nos     []int64
	numbers []int32
	words   []string
}

func newParts() *partRows { return &partRows{} }

func (p *partRows) add(no int64, part int, v *vector) {
	p.nos, p.numbers, p.words = append(p.nos, no), append(p.numbers, int32(part)), append(p.words, v.String())
}

// insertSize is the number of bytes of words that one statement inserts.
const insertSize = 4 << 20

// insert writes the rows.
func (p *partRows) insert(ctx context.Context, c *change) error {
	for len(p.nos) > 0 {
		n, size := 0, 0
		for n < len(p.nos) && (n == 0 || size+len(p.words[n]) <= insertSize) {
			size += len(p.words[n])
			n++
		}
		const statement = "INSERT INTO long (no, part, all_words) SELECT no, part, words::tsvector FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS u (no, part, words)"
		if _, err := c.Exec(ctx, statement, p.nos[:n], p.numbers[:n], p.words[:n]); err != nil {
			return err
		}
		p.nos, p.numbers, p.words = p.nos[n:], p.numbers[n:], p.words[n:]
	}
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

// unpacked returns a part of a text.
func (x *Index) unpacked(packed []byte) (string, error) {
	text, err := x.unpack.DecodeAll(packed, nil)
	if err != nil {
		return "", errors.Join(search.ErrDamaged, err)
	}
	return string(text), nil
}
