package plaintext

import (
	"bufio"
	"errors"
	"io"
	"sync/atomic"

	"golang.org/x/text/encoding/unicode"
)

// HeadSize is how many bytes of a stream decide whether it is text.
const HeadSize = headSize

// Parts reads a text in several places at once, as long as it is UTF-8 by the rules of
// NewReader. As soon as another charset is known, or possible, the Parts return a
// *RestartError.
type Parts struct {
	// Mark is the length of the byte order mark in bytes; the text begins behind it.
	Mark int
	// Strict means that a byte that is not valid UTF-8 contradicts the choice: the text
	// is then to be read again with the rule Windows1252. The Parts find such a byte
	// only in the 4 KiB after the first byte beyond ASCII; who reads them decodes the
	// bytes anyway, and checks the rest. Without Strict such a byte reads as U+FFFD.
	Strict bool

	declared bool // a charset that is not UTF-8
	begun    bool // there is a Part
	refused  atomic.Pointer[RestartError]
}

// NewParts detects the charset by the head of a stream, HeadSize bytes or all of it. It returns
// the errors of NewReader, and a *RestartError.
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

// Part returns the reader of the text from a position to its end, as text gives it. It
// must be called in the order of the positions. The bytes are not converted. Read returns
// a *RestartError as soon as any Part has found a reason. The caller closes the Part.
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
	seen   bool // a byte beyond ASCII was
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

// Close closes the text under the part.
func (p *Part) Close() error { return p.text.Close() }
