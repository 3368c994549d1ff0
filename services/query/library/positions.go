package library

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

const (
	// maxBoxed is the maximum number of hits that get boxes, boxedAtOnce of which are read concurrently.
	maxBoxed    = 20
	boxedAtOnce = 8
	// maxBoxes is the maximum number of boxes of a snippet.
	maxBoxes = 100
	// positionsWindow is the size up to which positions are read by one request.
	positionsWindow = 256 << 10
)

// addBoxes adds the boxes of their words to the snippets of the first hits.
func (a *Area) addBoxes(ctx context.Context, all []found) error {
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(boxedAtOnce)
	for i := range all[:min(len(all), maxBoxed)] {
		f := &all[i]
		f.Snippets = slices.Clone(f.Snippets)
		for j := range f.Snippets {
			if s := &f.Snippets[j]; s.Type == search.PagePlain {
				reads.Go(func() error {
					p, err := a.positions(reading, f.Node.ID, f.Node.Run, s.Page)
					if err == nil && p != nil {
						s.Boxes = boxesOf(p, s.Matched())
					}
					return err
				})
			}
		}
	}
	return reads.Wait()
}

// boxesOf returns the boxes of the first words of a page that match terms.
func boxesOf(p *library.Positions, asked search.Terms) []search.Box {
	var boxes []search.Box
	for _, part := range placed(p.Words, search.Mark(textOf(p), asked)) {
		if part.Match && part.Box != nil && len(boxes) < maxBoxes {
			boxes = append(boxes, *part.Box)
		}
	}
	return boxes
}

// positions returns the positions of the words of a page, or nil if they are unknown.
func (a *Area) positions(ctx context.Context, id string, run int64, page int) (*library.Positions, error) {
	key := library.ResultKey(id, run, library.PositionsName)
	data, err := a.bucket.Part(ctx, key, 0, positionsWindow)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r io.ReaderAt = bytes.NewReader(data)
	size := int64(len(data))
	if size == positionsWindow {
		object, err := a.bucket.Head(ctx, key)
		if err != nil {
			return nil, err
		}
		r, size = part(func(offset, length int64) ([]byte, error) { return a.bucket.Part(ctx, key, offset, length) }), object.Size
	}
	p, found, err := library.ReadPositions(r, size, page)
	if err != nil || !found {
		return nil, err
	}
	return &p, nil
}

// textOf returns the text of a page.
func textOf(p *library.Positions) string {
	var b strings.Builder
	for _, w := range p.Words {
		b.WriteString(w.Text)
	}
	return b.String()
}

// placed returns the words of a page as parts that match or do not.
func placed(words []library.PlacedWords, spans []search.Span) []textPart {
	parts := make([]textPart, 0, len(words))
	at := 0
	for _, w := range words {
		end := at + len(w.Text)
		for len(spans) > 0 && spans[0].End <= at {
			spans = spans[1:]
		}
		from := at
		for _, s := range spans {
			if s.Start >= end {
				break
			}
			if s.Start > from {
				parts = append(parts, partOf(w, from-at, s.Start-at, false))
				from = s.Start
			}
			to := min(s.End, end)
			parts = append(parts, partOf(w, from-at, to-at, true))
			from = to
		}
		if from < end {
			parts = append(parts, partOf(w, from-at, end-at, false))
		}
		at = end
	}
	return parts
}

// partOf returns a part of words with its box. The characters of a line are considered to have the same width. Those of a script that is
// written from right to left, and of lines from top to bottom, are not divided.
func partOf(w library.PlacedWords, from, to int, match bool) textPart {
	p := textPart{Text: w.Text[from:to], Match: match}
	shown := strings.TrimRightFunc(w.Text, unicode.IsSpace)
	if w.Box == nil || from >= len(shown) {
		return p
	}
	const unit = library.PositionScale
	left, top, right, bottom := float64(w.Box[0])/unit, float64(w.Box[1])/unit, float64(w.Box[2])/unit, float64(w.Box[3])/unit
	count := utf8.RuneCountInString(shown)
	toLeft := strings.ContainsFunc(shown, func(r rune) bool { return unicode.In(r, unicode.Hebrew, unicode.Arabic) })
	if down := count > 2 && bottom-top > 2*(right-left); !down && !toLeft {
		width := (right - left) / float64(count)
		right = left + width*float64(utf8.RuneCountInString(shown[:min(to, len(shown))]))
		left += width * float64(utf8.RuneCountInString(shown[:from]))
	}
	p.Box = &search.Box{Left: rounded(left), Top: rounded(top), Width: rounded(right - left), Height: rounded(bottom - top)}
	return p
}
