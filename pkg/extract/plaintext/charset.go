package plaintext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Rule is one of the rules that select a charset. They apply in order; their values are the numbers
// in the package documentation. A byte order mark always takes precedence.
type Rule int

const (
	byteOrderMark Rule = iota + 1
	Declared           // the charset of the content type; without one, UTF8 applies
	UTF8               // UTF-8, if the entire text is valid
	Windows1252        // no byte contradicts it
)

// RestartError means that the text is not in the selected charset and must be read again from its
// start, by one Reader, with the rule Next.
type RestartError struct{ Next Rule }

func (e *RestartError) Error() string {
	return fmt.Sprintf("the text is not in the selected charset; read it again from the start with rule %d", e.Next)
}

// charset is an encoding and the rule that selected it.
type charset struct {
	rule     Rule
	encoding encoding.Encoding
}

// reader returns a reader of the decoded text. Its Read returns a *RestartError at a byte that
// contradicts the charset.
func (c charset) reader(source *bufio.Reader) io.Reader {
	if c.encoding == unicode.UTF8 {
		return &utf8Reader{source: source, strict: c.rule == UTF8}
	}
	return transform.NewReader(source, c.decoder())
}

// decoder returns the decoder of a charset other than UTF-8.
func (c charset) decoder() transform.Transformer {
	decoder := c.encoding.NewDecoder().Transformer
	if c.rule != Declared {
		return decoder
	}
	strict := &strictDecoder{Transformer: decoder}
	// Bytes that decode to U+FFFD without contradicting the charset. Most charsets have none.
	if bytes, err := c.encoding.NewEncoder().Bytes([]byte(replacement)); err == nil {
		strict.replacement = bytes
	}
	return strict
}

// fits reports whether a window of the text is consistent with the charset. last means that the
// window ends the text. A character truncated by the end of the window is inconsistent only with
// UTF-8, and only at the end of the text.
func (c charset) fits(window []byte, last bool) bool {
	if c.encoding == unicode.UTF8 {
		if !last {
			window = window[:len(window)-len(cutCharacter(window))]
		}
		return utf8.Valid(window)
	}
	_, _, err := transform.Bytes(c.decoder(), window)
	return err == nil
}

const replacement = "\uFFFD"

// strictDecoder returns a *RestartError if the decoder would write U+FFFD for bytes
// that the charset does not define.
type strictDecoder struct {
	transform.Transformer
	replacement []byte // the charset's own encoding of U+FFFD, if it has one
}

// Transform implements transform.Transformer.
func (s *strictDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = s.Transformer.Transform(dst, src, false)
	if replaced := bytes.Count(dst[:nDst], []byte(replacement)); replaced > 0 {
		own := 0
		if len(s.replacement) > 0 {
			own = bytes.Count(src[:nSrc], s.replacement)
		}
		if replaced > own {
			return 0, 0, &RestartError{Next: UTF8}
		}
	}
	if atEOF && errors.Is(err, transform.ErrShortSrc) { // a character truncated by the end
		var wrote, read int
		wrote, read, err = s.Transformer.Transform(dst[nDst:], src[nSrc:], true)
		nDst, nSrc = nDst+wrote, nSrc+read
	}
	return nDst, nSrc, err
}
