package wordstats

import (
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Parts is a text that several readers can read concurrently from any position.
type Parts struct {
	Size     int64 // length of the text in bytes
	PartSize int64 // bytes per part, at least 1; the last part may be shorter
	Readers  int   // number of concurrent readers, at least 1; each also counts
	// From returns a reader of the text from position at to its end. All bytes up to end are read, and
	// more until a word is complete. From is called with increasing positions, one call at a time.
	// CountParts closes the readers.
	From func(ctx context.Context, at, end int64) io.ReadCloser
}

// CountParts is like Count, but uses several concurrent readers. Each has a vocabulary within the
// limits; the vocabularies are merged at the end. A part begins at the first safe position after its
// nominal start (see safePlace), and the previous part continues up to it, so the result does not
// depend on the nominal positions. The first error of a reader stops all of them.
func (l Limits) CountParts(ctx context.Context, p Parts) (Statistics, error) {
	group, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	due := int64(0)
	next := func() *part {
		mu.Lock()
		defer mu.Unlock()
		if due >= p.Size {
			return nil
		}
		at, end := due, min(due+p.PartSize, p.Size)
		due = end
		return &part{text: p.From(ctx, at, end), left: end - at, begun: at == 0}
	}
	counted := make([]*counter, p.Readers)
	for i := range counted {
		c := counters.Get().(*counter)
		defer counters.Put(c)
		c.reset(l)
		counted[i] = c
		group.Go(func() error {
			return catch(func() error {
				for part := next(); part != nil; part = next() {
					err := c.countFrom(part)
					if err := errors.Join(err, part.text.Close()); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		rethrow(err)
		return Statistics{}, err
	}
	all := &counted[0].vocabulary
	for _, c := range counted[1:] {
		if err := all.merge(&c.vocabulary); err != nil {
			return Statistics{}, err
		}
	}
	return all.statistics(), nil
}

// part reads a text from the first safe position of a part to that of the next part.
type part struct {
	text  io.ReadCloser
	left  int64 // bytes to the nominal start of the next part; negative after it
	begun bool  // between the first safe position of this part and that of the next
	gap   bool  // the previous byte is a space or line feed after the nominal start
}

func (p *part) Read(b []byte) (int, error) {
	if !p.begun && (p.left < 0 || p.left == 0 && !p.gap) {
		return 0, io.EOF // the text has ended, or the previous part covers this part
	}
	n, err := p.text.Read(b)
	start, end := 0, n
	if !p.begun {
		// The first safe position may be at the nominal start of the next part, which then begins later.
		near := b[:min(int64(n), p.left+1)]
		start = p.safePlace(near)
		if p.begun = start < len(near); !p.begun {
			p.left -= int64(n)
			return 0, err
		}
	}
	if p.left < int64(n) {
		inside := 0
		if p.left >= 0 {
			inside, p.gap = int(p.left), false
		}
		end = inside + p.safePlace(b[inside:n])
	}
	p.left -= int64(n)
	if end < n {
		p.left, p.begun = -1, false
	}
	return copy(b, b[start:end]), err
}

// safePlace returns the first position in data where a segment begins regardless of what precedes
// data: after a space or a line feed, and before a code point that is neither a mark nor a space. It
// returns the length of data if there is none.
func (p *part) safePlace(data []byte) int {
	for i, b := range data {
		if p.gap && beginsNoMark(b) {
			return i
		}
		p.gap = b == ' ' || b == '\n'
	}
	return len(data)
}
