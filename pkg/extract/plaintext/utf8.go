package plaintext

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/charset"
)

// asciiSource is a source that has returned only ASCII so far.
type asciiSource struct{ *bufio.Reader }

// readASCII reads the next ASCII bytes into p, which is not empty. It returns 0 and no error if the
// next byte is not ASCII.
func (s *asciiSource) readASCII(p []byte) (int, error) {
	if s.Buffered() == 0 && len(p) >= bufferSize { // large enough for Read to bypass the buffer
		if n, err := s.Read(p); n > 0 || err != nil {
			ascii := charset.ASCIIPrefix(p[:n])
			if ascii == n {
				return n, err
			}
			// An error is returned again after these bytes.
			rest := bytes.NewReader(bytes.Clone(p[ascii:n]))
			s.Reader = bufio.NewReaderSize(io.MultiReader(rest, s.Reader), bufferSize)
			return ascii, nil
		}
	}
	data, err := buffered(s.Reader, 1)
	if err != nil {
		return 0, err
	}
	return s.Read(p[:charset.ASCIIPrefix(data[:min(len(p), len(data))])])
}

// asciiReader passes ASCII through up to the first other byte. It returns ErrContradicted for an escape sequence
// that may be one of ISO-2022-JP, unless another charset is declared.
type asciiReader struct {
	source asciiSource
	text   *Reader
	rest   io.Reader // nil while all bytes were ASCII
}

func (a *asciiReader) Read(p []byte) (int, error) {
	if a.rest != nil {
		return a.rest.Read(p)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if n, err := a.source.readASCII(p); n > 0 || err != nil {
		if a.text.known == charset.UTF8 && charset.FindEscape(p[:n]) >= 0 {
			return 0, ErrContradicted
		}
		return n, err
	}
	a.rest = a.text.reader(a.source.Reader, true, &a.text.replaced)
	return a.rest.Read(p)
}

// utf8Reader reads UTF-8. For an invalid byte it returns ErrContradicted if strict, and otherwise U+FFFD.
type utf8Reader struct {
	source   *bufio.Reader
	strict   bool
	replaced *int64
	rest     []byte // the rest of a character that did not fit into the caller's slice
}

func (u *utf8Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(u.rest) > 0 {
		n := copy(p, u.rest)
		u.rest = u.rest[n:]
		return n, nil
	}
	data, err := buffered(u.source, 1)
	if err != nil {
		return 0, err
	}
	if n := validPrefix(data[:min(len(p), len(data))]); n > 0 {
		return u.source.Read(p[:n])
	}
	// The first character is invalid, or is truncated by the end of p or of the buffered data. If
	// fewer than four bytes are left, data ends the stream.
	data, err = buffered(u.source, utf8.UTFMax)
	if err != nil && len(data) == 0 {
		return 0, err
	}
	r, size := utf8.DecodeRune(data)
	if r == utf8.RuneError && size == 1 {
		if err != nil && !errors.Is(err, io.EOF) && !utf8.FullRune(data) {
			return 0, err // the source failed within a character
		}
		if u.strict {
			return 0, ErrContradicted
		}
		*u.replaced++
	}
	u.rest = utf8.AppendRune(nil, r)
	if _, err := u.source.Discard(size); err != nil {
		return 0, err
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// buffered returns all buffered bytes of source, after it has buffered at least the given number.
// If it returns fewer, err is the reason.
func buffered(source *bufio.Reader, least int) ([]byte, error) {
	_, err := source.Peek(least)
	data, _ := source.Peek(source.Buffered()) // cannot fail: the bytes are buffered
	return data, err
}

// validPrefix returns the length of the longest valid UTF-8 prefix of data, excluding a character
// truncated by the end of data.
func validPrefix(data []byte) int {
	whole := len(data) - len(cutCharacter(data))
	if utf8.Valid(data[:whole]) {
		return whole
	}
	n := 0
	for n < whole {
		r, size := utf8.DecodeRune(data[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// cutCharacter returns the incomplete character at the end of data.
func cutCharacter(data []byte) []byte {
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		tail := data[len(data)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return nil
			}
			return tail
		}
	}
	return nil
}

// middle returns the number of bytes at the start of data that may continue a character that began
// before.
func middle(data []byte) int {
	n := 0
	for n < min(utf8.UTFMax-1, len(data)) && !utf8.RuneStart(data[n]) {
		n++
	}
	return n
}
