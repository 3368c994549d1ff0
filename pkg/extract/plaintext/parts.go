package plaintext

import (
	"bufio"
	"errors"
	"io"
	"sync/atomic"

	"golang.org/x/text/encoding/unicode"
)

// HeadSize is the number of bytes at the start of a stream that are examined to detect text.
const HeadSize = headSize

// Parts reads a text at several positions concurrently if it is UTF-8 according to the rules of
// NewReader. If another charset is detected or possible, a Part returns a *RestartError.
type Parts struct {
	// Mark is the length of the byte order mark in bytes. The text begins after it.
	Mark int
	// Strict means that a byte that is not valid UTF-8 contradicts the charset, and the text must
	// be read again with the rule Windows1252. The Parts detect such a byte only in the 4 KiB after
	// the first non-ASCII byte; callers decode the bytes anyway and must check the rest. Without
	// Strict, such a byte reads as U+FFFD.
	Strict bool

	declared bool // the content type declares a charset other than UTF-8
	begun    bool // a Part has been created
	refused  atomic.Pointer[RestartError]
}

// NewParts detects the charset from the head of a stream: its first HeadSize bytes, or all of it.
// It returns the errors of NewReader, and a *RestartError.
func NewParts(head []byte, contentType string) (*Parts, error) {
	c, err := choose(head, len(head) < headSize, contentType, Declared)
	switch {
	case err != nil:
		return nil, err
	case c.settled == nil:
		return &Parts{Strict: true, declared: c.possible[0].rule == Declared}, nil
	case c.settled.encoding == unicode.UTF8:
		return &Parts{Mark: c.mark}, nil
	}
	return nil, &RestartError{Next: Declared}
}

// Part returns a reader of the text from a position to its end. text is the reader of the source at
// that position. Parts must be created in the order of their positions. The bytes are not
// converted. Read returns a *RestartError as soon as any Part has detected a reason for one. The
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
	if err := p.all.refused.Load(); err != nil {
		return 0, err
	}
	if p.seen || len(b) == 0 {
		return p.source.Read(b)
	}
	if n, err := p.source.readASCII(b); n > 0 || err != nil {
		p.begins = p.begins || n > 0
		return n, err
	}
	p.seen = true
	if p.all.declared {
		p.all.refused.Store(&RestartError{Next: Declared})
	} else if p.all.Strict {
		window, err := p.source.Peek(headSize)
		if !p.begins {
			window = window[middle(window):]
		}
		if !(charset{UTF8, unicode.UTF8}).fits(window, errors.Is(err, io.EOF)) {
			p.all.refused.Store(&RestartError{Next: Windows1252})
		}
	}
	return p.Read(b)
}

// Close closes the source of the part.
func (p *Part) Close() error { return p.text.Close() }
