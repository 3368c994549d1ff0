package zipxml

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Limits of a token.
const (
	maxToken      = 16 << 20 // bytes
	maxSeparators = 100_000  // quotes and white space between the attributes of a tag
)

// Decoder returns the tokens of an XML document. It tolerates malformed documents, and resolves no entities except the
// predefined ones.
type Decoder struct {
	xml   *xml.Decoder
	input *input
}

// NewDecoder returns a decoder of the document in r. charset decodes the charset that the document declares, if it is not
// UTF-8.
func NewDecoder(r io.Reader, charset func(label string, r io.Reader) (io.Reader, error)) *Decoder {
	d := &Decoder{input: newInput(r)}
	d.xml = xml.NewDecoder(d.input)
	d.xml.Strict = false
	d.xml.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		decoded, err := charset(label, r)
		if err != nil {
			return nil, err
		}
		d.input = newInput(decoded)
		return d.input, nil
	}
	return d
}

// Token returns the next token, as xml.Decoder.RawToken does. It returns ErrTooBig for a token that exceeds a limit, and
// the errors of the reader, which package xml hides in some cases.
func (d *Decoder) Token() (xml.Token, error) {
	d.input.begin()
	t, err := d.xml.RawToken()
	if err != nil && d.input.err != nil {
		err = d.input.err
	}
	return t, err
}

// input counts the bytes of each token. The decoder reads it byte by byte, and never ahead.
type input struct {
	*bufio.Reader
	err        error // the first error other than io.EOF
	last       byte
	size       int
	separators int
	tag        bool // inside a start tag
	opening    bool // the next byte decides whether it is a start tag
	quote      byte // inside a quoted value
}

func newInput(r io.Reader) *input { return &input{Reader: bufio.NewReader(r), last: '>'} }

// begin begins a token. The decoder has read the first byte of a token that follows a text.
func (i *input) begin() {
	i.size, i.separators, i.quote = 0, 0, 0
	i.tag, i.opening = false, i.last == '<'
}

// ReadByte implements io.ByteReader.
func (i *input) ReadByte() (byte, error) {
	c, err := i.Reader.ReadByte()
	if err != nil {
		if !errors.Is(err, io.EOF) && i.err == nil {
			i.err = err
		}
		return c, err
	}
	switch {
	case i.opening:
		i.opening, i.tag = false, c != '!' && c != '?' && c != '/'
	case i.size == 0 && c == '<':
		i.opening = true
	case !i.tag:
	case i.quote != 0:
		if c == i.quote {
			i.quote = 0
		}
	case c == '"' || c == '\'':
		i.quote = c
		i.separators++
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		i.separators++
	}
	i.last = c
	if i.size++; i.size > maxToken {
		i.err = ErrTooBig.With(reason.ElementLimit, maxToken)
	} else if i.separators > maxSeparators {
		i.err = ErrTooBig.With(reason.AttributesLimit, maxSeparators)
	}
	return c, i.err
}
