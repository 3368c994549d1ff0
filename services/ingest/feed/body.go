package feed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/web"
)

const (
	// maxItem is the maximum size of an item: the longest text and metadata with every character
	// escaped in JSON, plus the other fields.
	maxItem = 2 << 20
	// maxBatch is the maximum number of items in a batch.
	maxBatch = 100
	// maxFeedBody is the maximum size of a body: a full batch of the longest texts with every character escaped.
	maxFeedBody = 16 << 20
	// itemStep is the number of bytes by which the buffer of an item grows.
	itemStep = 4 << 10
)

var (
	errNotJSON  = web.NewProblem(http.StatusBadRequest, "bad-request", "The body is not a JSON object in UTF-8.")
	errNotBatch = web.Invalid(web.FieldError{Field: "body.items", Message: fmt.Sprintf("must be a list of 1 to %d items, and the only field", maxBatch)})
	errLongItem = web.FieldError{Field: "body", Message: fmt.Sprintf("is longer than %d bytes", maxItem)}
)

// itemBody reads a body that is one item, or an object whose only member is the list items. It keeps
// at most one item in memory.
type itemBody struct {
	ctx    context.Context
	from   *bufio.Reader
	bodies *web.Bodies
}

// openItems reads the start of a body, and reports whether a batch follows.
func openItems(r *http.Request, bodies *web.Bodies) (b *itemBody, many bool, err error) {
	if !web.IsJSON(r) {
		return nil, false, web.NewProblem(http.StatusUnsupportedMediaType, "unsupported-media-type", "The body must be application/json.")
	}
	b = &itemBody{ctx: r.Context(), from: bufio.NewReader(r.Body), bodies: bodies}
	if err := b.expect('{', errNotJSON); err != nil {
		return nil, false, err
	}
	if _, err := b.peek(); err != nil {
		return nil, false, web.BrokenBody(err)
	}
	const name = `"items"`
	start, err := b.from.Peek(len(name))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, web.BrokenBody(err)
	}
	if string(start) != name {
		return b, false, nil
	}
	_, _ = b.from.Discard(len(name)) // cannot fail: the bytes are buffered
	if err := b.expect(':', errNotJSON); err != nil {
		return nil, false, err
	}
	return b, true, b.expect('[', errNotBatch)
}

// one reads the rest of a body with a single item. The caller releases hold.
func (b *itemBody) one(hold *web.Hold) (json.RawMessage, error) {
	rest := io.MultiReader(strings.NewReader("{"), b.from)
	raw, err := io.ReadAll(hold.Reader(b.ctx, io.LimitReader(rest, maxItem+1)))
	if errors.Is(err, web.ErrBodiesFull) {
		return nil, err
	}
	if err != nil {
		return nil, web.BrokenBody(err)
	}
	if len(raw) > maxItem {
		return nil, &http.MaxBytesError{Limit: maxItem}
	}
	var members map[string]json.RawMessage
	if !utf8.Valid(raw) || json.Unmarshal(raw, &members) != nil {
		return nil, errNotJSON
	}
	if _, batch := members["items"]; batch {
		return nil, errNotBatch // the object has other members
	}
	return raw, nil
}

// each yields the items of a batch in order. The consumer of a candidate releases its hold. After an
// error, the rest of the body cannot be read.
func (b *itemBody) each() iter.Seq2[candidate, error] {
	return func(yield func(candidate, error) bool) {
		for n := 0; ; n++ {
			if n == maxBatch {
				yield(candidate{}, errNotBatch)
				return
			}
			hold := b.bodies.Hold()
			raw, last, err := b.element(hold)
			switch {
			case errors.Is(err, errItemTooLong):
				err = nil
				if !yield(candidate{wrong: []web.FieldError{errLongItem}, hold: hold}, nil) {
					return
				}
				hold = nil // released by the consumer
			case err == nil && last && len(raw) == 0 && n == 0:
				err = errNotBatch
			case err == nil && !(utf8.Valid(raw) && json.Valid(raw)):
				err = errNotJSON
			case err == nil:
				submission, wrong := parseItem(raw)
				if !yield(candidate{submission, wrong, len(raw), hold}, nil) {
					return
				}
				hold = nil // released by the consumer
			}
			if err == nil && last {
				err = b.end()
			}
			if err != nil {
				hold.Release()
				yield(candidate{}, err)
				return
			}
			if last {
				return
			}
		}
	}
}

var errItemTooLong = errors.New("the item is too long")

// element reads an element of the list and the comma or bracket after it, and reports whether it is the
// last element. It finds the end of the element but does not check its syntax. If an element is longer
// than maxItem, it returns errItemTooLong.
func (b *itemBody) element(hold *web.Hold) (raw []byte, last bool, err error) {
	var depth, size int
	var quoted, escaped bool
	for {
		c, err := b.from.ReadByte()
		if err != nil {
			return nil, false, web.BrokenBody(err)
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ']'):
			if size > maxItem {
				err = errItemTooLong
			}
			return bytes.TrimSpace(raw), c == ']', err
		case c == '}', c == ']':
			depth--
		}
		if size++; size > maxItem {
			raw = nil
			hold.Release()
			continue
		}
		if len(raw)%itemStep == 0 {
			if err := hold.Grow(b.ctx, itemStep); err != nil {
				return nil, false, err
			}
		}
		raw = append(raw, c)
	}
}

// end reads the rest of the body after the list.
func (b *itemBody) end() error {
	if err := b.expect('}', errNotBatch); err != nil {
		return err
	}
	if _, err := b.peek(); !errors.Is(err, io.EOF) {
		return errNotJSON
	}
	return nil
}

// expect skips whitespace and reads one character. It returns the error mismatch if the character is not want.
func (b *itemBody) expect(want byte, mismatch error) error {
	c, err := b.peek()
	if errors.Is(err, io.EOF) || err == nil && c != want {
		return mismatch
	}
	if err != nil {
		return web.BrokenBody(err)
	}
	_, err = b.from.Discard(1)
	return err
}

// peek skips whitespace, and returns the next character without consuming it.
func (b *itemBody) peek() (byte, error) {
	for {
		next, err := b.from.Peek(1)
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(next[0])) {
			return next[0], nil
		}
		_, _ = b.from.Discard(1) // cannot fail: the byte is buffered
	}
}
