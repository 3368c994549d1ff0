package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"github.com/assay-project/assay/services/query/search"
)

const (
	// maxExcerpts is the maximum number of blocks of a text that are read for the snippets of a hit.
	maxExcerpts = 16
	// ahead is the number of bytes of the next block in an excerpt, so that it has phrases that continue there.
	ahead = 2 << 10
)

// excerpts finds the parts of long texts that may contain the terms of a query.
type excerpts struct {
	x     *Index
	tx    querier
	terms search.Terms
	hits  map[int64]bool // the nodes of the page
	// prefixes contains, by expression, the blocks of the hits with words that have a prefix. FTS5 merges the postings of all
	// these words, whichever blocks are asked for, so all hits share the result.
	prefixes map[string]map[int64]bool
}

func (x *Index) excerptsOf(tx querier, terms search.Terms, page []hit) *excerpts {
	e := &excerpts{x: x, tx: tx, terms: terms, hits: map[int64]bool{}, prefixes: map[string]map[int64]bool{}}
	for _, h := range page {
		e.hits[h.no] = true
	}
	return e
}

// of yields the blocks of the text of a node that may contain the terms, those with the most terms first.
func (e *excerpts) of(ctx context.Context, no int64, count int) iter.Seq2[search.Excerpt, error] {
	return func(yield func(search.Excerpt, error) bool) {
		order := []int{0}[:min(count, 1)]
		if count > 1 {
			var err error
			if order, err = e.promising(ctx, no, count); err != nil {
				yield(search.Excerpt{}, err)
				return
			}
		}
		for _, i := range order {
			if found, err := e.read(ctx, no, i, count); !yield(found, err) || err != nil {
				return
			}
		}
	}
}

// read returns the block with index i.
func (e *excerpts) read(ctx context.Context, no int64, i, count int) (search.Excerpt, error) {
	text, place, err := e.x.block(ctx, e.tx, no, i)
	found := search.Excerpt{Place: place, At: i * blockSize, Text: text, Own: len(text), Last: i == count-1}
	if err != nil || found.Last {
		return found, err
	}
	next, _, err := e.x.block(ctx, e.tx, no, i+1)
	found.Text += next[:min(len(next), ahead)]
	return found, err
}

// promising returns the indexes of up to maxExcerpts blocks that may contain terms, those with the most terms first.
func (e *excerpts) promising(ctx context.Context, no int64, count int) ([]int, error) {
	found := make([]int, count) // number of terms
	for _, t := range e.terms {
		if t.Not || t.Field != "" && t.Field != "text" {
			continue
		}
		words := make([][]bool, len(t.Words)) // by word, which blocks contain it
		for i := range words {
			var err error
			word := search.Term{Words: t.Words[i : i+1], Prefix: t.Prefix && i == len(t.Words)-1}
			if len(t.Words) == 1 {
				word.Also = t.Also
			}
			if words[i], err = e.blocks(ctx, no, count, word); err != nil {
				return nil, err
			}
		}
		for i := range found {
			absent := func(word []bool) bool { return !word[i] && !word[i+1] } // a phrase may continue in the next block
			if words[0][i] && !slices.ContainsFunc(words, absent) {
				found[i]++
			}
		}
	}
	var order []int
	for i, n := range found {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return found[b] - found[a] })
	return order[:min(len(order), maxExcerpts)], nil
}

// blocks reports which of the blocks of a node contain a word, followed by false.
func (e *excerpts) blocks(ctx context.Context, no int64, count int, word search.Term) ([]bool, error) {
	has := make([]bool, count+1)
	asked := expression(no/numbers, search.Terms{word})
	if !word.Prefix {
		err := e.each(ctx, asked, no, no, func(block int64) { has[block-blockNo(no, 0)] = true })
		return has, err
	}
	if e.prefixes[asked] == nil {
		found := map[int64]bool{}
		err := e.each(ctx, asked, no/numbers*numbers, (no/numbers+1)*numbers-1, func(block int64) {
			if e.hits[block/maxBlocks] {
				found[block] = true
			}
		})
		if err != nil {
			return nil, err
		}
		e.prefixes[asked] = found
	}
	for i := range count {
		has[i] = e.prefixes[asked][blockNo(no, i)]
	}
	return has, nil
}

const matchingBlocks = "SELECT rowid FROM block WHERE block MATCH ? AND rowid BETWEEN ? AND ?"

// each calls see for each block of the nodes from first to last that matches an expression.
func (e *excerpts) each(ctx context.Context, expression string, first, last int64, see func(block int64)) error {
	return each(ctx, e.tx, matchingBlocks, []any{expression, blockNo(first, 0), blockNo(last, maxBlocks-1)}, func(rows *sql.Rows) error {
		var block int64
		err := rows.Scan(&block)
		see(block)
		return err
	})
}
