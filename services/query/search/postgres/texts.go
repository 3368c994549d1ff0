//go:build !noclients

package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// Pending returns files whose text is not indexed. If there are none, every process may search the index from now on.
func (x *Index) Pending(ctx context.Context, limit int) ([]search.Pending, error) {
	var found []search.Pending
	err := each(ctx, x.pool, "SELECT id, run FROM node WHERE pending ORDER BY no LIMIT $1", []any{limit}, func(rows pgx.Rows) error {
		var stored []byte
		var p search.Pending
		err := rows.Scan(&stored, &p.Run)
		if err == nil {
			p.ID, err = engine.Key(stored).ID()
		}
		found = append(found, p)
		return err
	})
	if err == nil && len(found) == 0 {
		// Every search reads the words that were not merged into the index yet.
		if _, err := x.pool.Exec(ctx, "SELECT gin_clean_pending_list('words_all'), gin_clean_pending_list('long_all')"); err != nil {
			return nil, fault(err)
		}
		const ready = "UPDATE state SET ready = true WHERE NOT ready AND version = $1 AND sequence IS NOT NULL AND NOT EXISTS (SELECT FROM node WHERE pending)"
		_, err = x.pool.Exec(ctx, ready, version)
	}
	return found, fault(err)
}

// SetTexts stores the texts and properties of files.
func (x *Index) SetTexts(ctx context.Context, texts []search.Text) error {
	return x.transaction(ctx, func(tx *change) error { return tx.setTexts(ctx, texts) })
}

func (c *change) setTexts(ctx context.Context, texts []search.Text) error {
	byKey := map[string]search.Text{}
	keys, runs := make([][]byte, len(texts)), make([]int64, len(texts))
	for i, t := range texts {
		key, err := engine.KeyOf(t.ID)
		if err != nil {
			return err
		}
		byKey[string(key)], keys[i], runs[i] = t, key, t.Run
	}
	const taken = `UPDATE node AS n SET pending = false, textrun = n.run FROM unnest($1::bytea[], $2::bigint[]) AS u (id, run)
		WHERE n.id = u.id AND n.run = u.run AND n.pending RETURNING n.id, n.no, n.owner, n.name`
	var contents []*content
	var nos []int64
	about, bodies, pictures := &aboutRows{}, &bodyRows{}, &pictureRows{}
	err := each(ctx, c, taken, []any{keys, runs}, func(rows pgx.Rows) error {
		var key []byte
		t := &content{}
		if err := rows.Scan(&key, &t.no, &t.owner, &t.name); err != nil {
			return err
		}
		text := byKey[string(key)]
		for _, p := range text.Properties {
			t.properties = append(t.properties, search.Property{Field: storable(p.Field), Value: storable(p.Value)})
		}
		t.parts = parts(text.Text)
		contents, nos = append(contents, t), append(nos, t.no)
		places := search.Places(text.Text, text.PageType, t.parts)
		for i, part := range t.parts {
			bodies.add(t.no, i, c.x.pack.EncodeAll([]byte(part), nil), engine.PackPlace(places[i]))
		}
		if text.Picture != nil {
			pictures.nos, pictures.owners, pictures.hashes = append(pictures.nos, t.no), append(pictures.owners, t.owner), append(pictures.hashes, int64(*text.Picture))
		}
		return about.add(t, storable(text.Cut))
	})
	if err != nil || len(nos) == 0 {
		return err
	}
	for _, table := range []string{"about", "picture", "body"} {
		if _, err := c.Exec(ctx, "DELETE FROM "+table+" WHERE no = ANY($1)", nos); err != nil {
			return err
		}
	}
	if _, err := c.Exec(ctx, "INSERT INTO about SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])", about.nos, about.properties, about.cuts); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "INSERT INTO picture SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])", pictures.nos, pictures.owners, pictures.hashes); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "INSERT INTO body SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[])", bodies.nos, bodies.numbers, bodies.packed, bodies.places); err != nil {
		return err
	}
	return c.write(ctx, contents)
}

// aboutRows, bodyRows and pictureRows are columns of rows.
type aboutRows struct {
	nos              []int64
	properties, cuts []string
}

func (a *aboutRows) add(t *content, cut string) error {
	if len(t.properties) == 0 && cut == "" {
		return nil
	}
	properties, err := json.Marshal(t.properties)
	a.nos, a.properties, a.cuts = append(a.nos, t.no), append(a.properties, string(properties)), append(a.cuts, cut)
	return err
}

type bodyRows struct {
	nos     []int64
	numbers []int32
	packed  [][]byte
	places  []string
}

func (b *bodyRows) add(no int64, part int, packed []byte, place string) {
	b.nos, b.numbers, b.packed, b.places = append(b.nos, no), append(b.numbers, int32(part)), append(b.packed, packed), append(b.places, place)
}

type pictureRows struct{ nos, owners, hashes []int64 }

// Has reports whether the index has a version of an item and, for a file, its text and properties. It returns search.ErrNotReady
// until the index has all items and texts.
func (x *Index) Has(ctx context.Context, id string, of int64) (bool, error) {
	key, err := engine.KeyOf(id)
	if err != nil {
		return false, err
	}
	var found, ready bool
	const query = `SELECT EXISTS (SELECT FROM node WHERE id = $1 AND version >= $2 AND NOT pending), EXISTS (SELECT FROM state WHERE ready AND version = $3)`
	err = x.pool.QueryRow(ctx, query, []byte(key), of, version).Scan(&found, &ready)
	if err == nil && !ready {
		err = search.ErrNotReady
	}
	return found, fault(err)
}
