package plaintext

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"golang.org/x/text/encoding/unicode"
)

// HeadSize is how many bytes of a stream decide whether it is text.
const HeadSize = headSize

// ErrConverted says that a text cannot be read in parts, since it is in another
// charset than UTF-8: read it with NewReader.
var ErrConverted = errors.New("the text is not in UTF-8")

// Parts decides for a text that is read in several places at once what NewReader
// decides for one that is read from its start: whether it is text, and in UTF-8.
// As long as no byte beyond ASCII was seen, every part is read as if it were UTF-8;
// the first such byte of the whole text then decides for all of them.
type Parts struct {
	// Mark is the length of the byte order mark in bytes; the text begins behind it.
	Mark int

	declaredUTF8 bool
	mu           sync.Mutex
	parts        []*Part // in the order of their places
	verdict      verdict // of the text
}

type verdict int

const (
	pending verdict = iota
	ascii           // to its end
	isInUTF8
	isConverted
)

// NewParts looks at the head of a stream, of HeadSize bytes or all of it. It returns
// the errors of NewReader, and ErrConverted.
func NewParts(head []byte, contentType string) (*Parts, error) {
	c, err := choose(head, len(head) < headSize, contentType)
	if err != nil {
		return nil, err
	}
	p := &Parts{Mark: c.mark, declaredUTF8: c.charset == unicode.UTF8}
	switch {
	case !c.open && !p.declaredUTF8:
		return nil, ErrConverted
	case !c.open:
		p.verdict = isInUTF8
	}
	return p, nil
}

// Part returns the reader of the text from a place to its end, as text gives it. It
// must be called in the order of the places. The bytes come as they are: one that is
// not UTF-8 reads as U+FFFD. Read returns ErrConverted as soon as that is known. The
// caller closes the Part when it has read all that is its own: up to where the part
// behind begins, at least.
func (p *Parts) Part(text io.ReadCloser) *Part {
	part := &Part{all: p, text: text, source: asciiSource{bufio.NewReaderSize(&lastingError{source: text}, bufferSize)}}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts = append(p.parts, part)
	return part
}

// Err returns ErrConverted if the text was not to be read in parts. It is known
// when all parts are closed.
func (p *Parts) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.verdict == isConverted {
		return ErrConverted
	}
	return nil
}

// UTF8 reports whether the text is known to be in UTF-8, with a byte beyond ASCII.
func (p *Parts) UTF8() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.verdict == isInUTF8
}

// Part is a reader of one part.
type Part struct {
	all     *Parts
	text    io.Closer
	source  asciiSource
	verdict verdict // of this part; guarded by all.mu
	seen    bool    // a byte beyond ASCII was
}

func (p *Part) Read(b []byte) (int, error) {
	if p.seen {
		if err := p.all.Err(); err != nil {
			return 0, err
		}
		return p.source.Read(b)
	}
	if len(b) == 0 {
		return 0, nil
	}
	if n, err := p.source.readASCII(b); n > 0 || err != nil {
		return n, err
	}
	p.seen = true
	window, err := p.source.Peek(headSize)
	if p.all.declaredUTF8 || isUTF8(window, errors.Is(err, io.EOF)) {
		p.all.decide(p, isInUTF8)
	} else {
		p.all.decide(p, isConverted)
	}
	return p.Read(b)
}

// Close closes the text under the part.
func (p *Part) Close() error {
	if !p.seen {
		p.all.decide(p, ascii)
	}
	return p.text.Close()
}

// decide notes the verdict of a part, and that of the text if all before is ASCII.
func (p *Parts) decide(part *Part, v verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	part.verdict = v
	for p.verdict == pending && len(p.parts) > 0 {
		switch first := p.parts[0].verdict; first {
		case pending:
			return
		case ascii:
			p.parts = p.parts[1:]
		default:
			p.verdict = first
		}
	}
}
