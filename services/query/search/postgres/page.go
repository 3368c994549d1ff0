//go:build !noclients

package postgres

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

const (
	// maxExcerpts is the maximum number of parts of a text that are read for the snippets of a hit.
	maxExcerpts = 16
	// beyond is the number of bytes of the next part in an excerpt, so that it has phrases that continue there.
	beyond = 2 << 10
)

// page reads the hits of a page with their snippets.
type page struct {
	x         *Index
	tx        pgx.Tx
	terms     search.Terms // with the words that are marked
	libraries []engine.InLibrary
	parts     map[int64]map[int32]float64 // by node of the table long, and by part, how promising the part is
}

// stored is a hit as it is stored.
type stored struct {
	search.Hit
	name       string
	properties []search.Property
	parts      int
	only       search.Excerpt // the text, if it has one part
}

// read returns hits in their order.
func (p *page) read(ctx context.Context, hits []hit) ([]search.Hit, error) {
	nos, at := make([]int64, len(hits)), map[int64]*stored{}
	for i, h := range hits {
		nos[i] = h.no
	}
	const named = `SELECT n.no, n.id, n.name, a.properties, coalesce(a.cut, ''), coalesce(b.parts, 0), f.text, coalesce(f.place, '') FROM node AS n LEFT JOIN about AS a ON a.no = n.no
		LEFT JOIN LATERAL (SELECT count(*) AS parts FROM body WHERE body.no = n.no) AS b ON true
		LEFT JOIN body AS f ON f.no = n.no AND b.parts = 1 WHERE n.no = ANY ($1)`
	var long []int64
	err := each(ctx, p.tx, named, []any{nos}, func(rows pgx.Rows) error {
		var no int64
		var key, properties, text []byte
		var place string
		s := &stored{}
		if err := rows.Scan(&no, &key, &s.name, &properties, &s.Cut, &s.parts, &text, &place); err != nil {
			return err
		}
		var err error
		if s.ID, err = engine.Key(key).ID(); err == nil {
			s.properties, err = unpackProperties(properties)
		}
		if err == nil && text != nil {
			s.only, err = p.x.only(text, place)
		}
		if at[no] = s; s.parts > 1 {
			long = append(long, no)
		}
		return err
	})
	if err == nil && len(long) > 0 {
		err = p.promising(ctx, long)
	}
	if err != nil {
		return nil, err
	}
	found := make([]search.Hit, len(hits))
	for i, h := range hits {
		s := at[h.no]
		if s == nil {
			return nil, search.ErrDamaged
		}
		s.Score = h.score
		if s.Snippets, err = search.Snippets(s.name, s.properties, p.excerpts(ctx, h.no, s), p.terms); err != nil {
			return nil, err
		}
		found[i] = s.Hit
	}
	return found, nil
}

// only returns the excerpt that is a text with one part.
func (x *Index) only(packed []byte, place string) (search.Excerpt, error) {
	text, err := x.unpacked(packed)
	if err != nil {
		return search.Excerpt{}, err
	}
	excerpt := search.Whole(text)
	excerpt.Place, err = engine.UnpackPlace(place)
	return excerpt, err
}

// promising finds the parts of long texts that contain terms. A term counts as much as it is rare in the text. It counts half if the next part
// contains it too, because it may be among the words of that part.
func (p *page) promising(ctx context.Context, nos []int64) error {
	p.parts = map[int64]map[int32]float64{}
	for _, no := range nos {
		p.parts[no] = map[int32]float64{}
	}
	var queries []string
	for _, t := range p.terms {
		if t.Not || t.Field != "" && t.Field != "text" {
			continue
		}
		t.Field = "" // part 0 has the labels
		for _, l := range p.libraries {
			queries = append(queries, expressionOf(l.Owner, t))
		}
	}
	// The sum keeps the index of the words: it has few parts with a rare word.
	const query = `SELECT t.term, l.no, l.part - 1 FROM unnest($1::text[]) WITH ORDINALITY AS t (query, term) JOIN long AS l ON l.all_words @@ t.query::tsquery
		WHERE l.no + 0 = ANY ($2) AND l.part > 0`
	type place struct {
		term, no int64
		part     int32
	}
	found := map[place]bool{}
	err := each(ctx, p.tx, query, []any{queries, nos}, func(rows pgx.Rows) error {
		var at place
		err := rows.Scan(&at.term, &at.no, &at.part)
		found[at] = true
		return err
	})
	count := map[place]int{} // by term and node
	for at := range found {
		count[place{at.term, at.no, 0}]++
	}
	for at := range found {
		weight := 1 / float64(count[place{at.term, at.no, 0}])
		if found[place{at.term, at.no, at.part + 1}] {
			weight /= 2
		}
		p.parts[at.no][at.part] += weight
	}
	return err
}

// excerpts yields the parts of the text of a hit that may contain the terms, the most promising first.
func (p *page) excerpts(ctx context.Context, no int64, s *stored) iter.Seq2[search.Excerpt, error] {
	return func(yield func(search.Excerpt, error) bool) {
		if s.parts <= 1 {
			if s.parts == 1 {
				yield(s.only, nil)
			}
			return
		}
		var order []int32
		for part := range int32(s.parts) {
			if p.parts[no][part] > 0 {
				order = append(order, part)
			}
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.parts[no][b], p.parts[no][a]) })
		for _, part := range order[:min(len(order), maxExcerpts)] {
			if found, err := p.excerpt(ctx, no, part, s.parts); !yield(found, err) || err != nil {
				return
			}
		}
	}
}

// excerpt returns a part of a text.
func (p *page) excerpt(ctx context.Context, no int64, part int32, count int) (search.Excerpt, error) {
	found := search.Excerpt{At: int(part) * search.MaxText, Last: int(part) == count-1}
	err := each(ctx, p.tx, "SELECT part, text, place FROM body WHERE no = $1 AND part BETWEEN $2 AND $2 + 1 ORDER BY part", []any{no, part}, func(rows pgx.Rows) error {
		var at int32
		var packed []byte
		var place string
		if err := rows.Scan(&at, &packed, &place); err != nil {
			return err
		}
		text, err := p.x.unpacked(packed)
		if at == part && err == nil {
			found.Text, found.Own = text, len(text)
			found.Place, err = engine.UnpackPlace(place)
		} else {
			found.Text += text[:min(len(text), beyond)]
		}
		return err
	})
	return found, err
}
