package plaintext

import (
	"bufio"
	"errors"
	"io"
	"sync/atomic"

	"github.com/assay-project/assay/pkg/extract/charset"
)

// HeadSize is the number of bytes at the start of a stream that are examined to detect text.
const HeadSize = headSize

// Parts reads a text at several positions concurrently if it is UTF-8. If another charset is declared, detected or
// possible, a Part returns ErrContradicted, and the text must be read with Text.ReadDetected. The same is true if the
// bytes are not valid UTF-8: the Parts detect such a byte only in the 4 KiB after the first byte beyond ASCII, and
// callers, which decode the bytes anyway, must check the rest.
type Parts struct {
	Charset

	declared bool // the content type declares a charset other than UTF-8
	begun    bool // a Part has been created
	refused  atomic.Bool
}

// NewParts returns the Parts of a text that begins with head: its first HeadSize bytes, or all of it. It returns
// ErrContradicted, and a *NotTextError if the content is not text.
func NewParts(head []byte, contentType string) (*Parts, error) {
	c, settled, err := choose(head, len(head) < headSize, declared(contentType))
	switch {
	case err != nil:
		return nil, err
	case settled && c.known != charset.UTF8:
		return nil, ErrContradicted
	}
	return &Parts{Charset: c, declared: c.known != charset.UTF8}, nil
}

// Mark returns the length of the byte order mark in bytes. The text begins after it.
func (p *Parts) Mark() int { return p.mark }

// Part returns a reader of the text from a position to its end. text is the reader of the source at
// that position. Parts must be created in the order of their positions. The bytes are not
// converted. Read returns ErrContradicted as soon as any Part has detected a reason for it. The
// caller must close the Part.
func (p *Parts) Part(text io.ReadCloser) *Part {
	part := &Part{
		all: p, text: text, begins: !p.begun,
		source: asciiSource{bufio.NewReaderSize(&lastingError{source: text}, bufferSize)},
	}
	p.begun = true
	return part
}

// Part is a reader of one part.
type Part struct {
	all    *Parts
	text   io.Closer
	source asciiSource
	begins bool // the first byte of the source begins a character
	seen   bool // a non-ASCII byte was read
}

func (p *Part) Read(b []byte) (int, error) {
	if p.all.refused.Load() {
		return 0, ErrContradicted
	}
	if p.seen || len(b) == 0 {
		return p.source.Read(b)
	}
	if n, err := p.source.readASCII(b); n > 0 || err != nil {
		p.begins = p.begins || n > 0
		if !p.all.declared && charset.FindEscape(b[:n]) >= 0 {
			p.all.refused.Store(true)
			return 0, ErrContradicted
		}
		return n, err
	}
	p.seen = true
	window, err := p.source.Peek(headSize)
	if !p.begins {
		window = window[middle(window):]
	}
	if p.all.declared || !isUTF8(window, errors.Is(err, io.EOF)) {
		p.all.refused.Store(true)
	}
	return p.Read(b)
}

// Close closes the source of the part.
func (p *Part) Close() error { return p.text.Close() }
