// Package plaintext turns the bytes of an uploaded object into a UTF-8 stream,
// or reports the format of an object that is not text.
//
// The charset is that of:
//
//  1. a byte order mark: UTF-8, UTF-16 or UTF-32. The mark is removed.
//  2. the content type, unless the bytes contradict it throughout, or are valid UTF-8 and contradict it
//     anywhere. UTF-16 is also contradicted by 4 KiB of valid UTF-8 without a NUL. A declaration of US-ASCII
//     is ignored: it does not cover non-ASCII bytes. So is one that names no known charset.
//  3. UTF-8, if the text is valid but for one byte in 16 characters beyond ASCII; or UTF-16 without a mark.
//  4. what package charset detects.
//
// Bytes that the charset does not define, such as a character that the end of the text cuts, read as U+FFFD,
// the replacement character. They are counted.
//
// Whether the bytes contradict a charset is certain only at the end of the text, but a text is read in
// constant memory. So ASCII, which nearly all charsets decode alike, is passed on up to the first other byte,
// and after it the text as far as it is UTF-8, or in the declared charset. If another byte follows, the text is
// read again: once to detect the charset, and once to decode it. Most texts are read once.
//
// A stream is not text if more than one in twenty characters of its first 4 KiB do not occur in text, or if
// they begin like a format that consists of printable characters, such as PDF. HTML, XML, SVG, JSON, CSV, RTF
// and source code are text and pass with their markup.
package plaintext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/charset"
)

const (
	headSize   = 4096         // bytes examined to detect text and its charset
	startSize  = 2 * headSize // bytes read first; a larger buffer would slow down small texts
	bufferSize = 32 * 1024    // minimum bytes per further read
)

// Text is a text to read.
type Text struct {
	// Open returns a reader of the bytes from their start. It is called up to three times.
	Open func() (io.ReadCloser, error)
	// ContentType is the declared media type with its charset parameter. It may be empty.
	ContentType string
}

// Outcome says how a text was decoded.
type Outcome struct {
	Charset
	Replaced int64 // the number of places where U+FFFD stands for bytes that the charset does not define
}

// Read calls use with the text in UTF-8, without a byte order mark. If the text turns out to be in another charset
// than its start suggests, it calls use again, from the start: use must discard what it has read before, and return
// the error of the reader. Read returns a *NotTextError if the content is not text, and the errors of Open, of its
// reader and of use.
func (t Text) Read(use func(io.Reader) error) (Outcome, error) {
	source, err := t.Open()
	if err != nil {
		return Outcome{}, err
	}
	defer source.Close()
	text, err := newReader(source, t.ContentType)
	if err != nil {
		return Outcome{}, err
	}
	defer text.Free()
	if err = use(text); errors.Is(err, ErrContradicted) {
		return t.ReadDetected(use)
	}
	return Outcome{text.Charset, text.replaced}, err
}

// ReadDetected is like Read, but reads all of the text first to detect the charset, and calls use once. Use it if
// Parts have contradicted the charset.
func (t Text) ReadDetected(use func(io.Reader) error) (Outcome, error) {
	c, err := t.Detect()
	if err != nil {
		return Outcome{}, err
	}
	source, err := t.Open()
	if err != nil {
		return Outcome{}, err
	}
	defer source.Close()
	text, err := c.NewReader(source)
	if err != nil {
		return Outcome{}, err
	}
	defer text.Free()
	err = use(text)
	return Outcome{c, text.replaced}, err
}

// Detect reads all of the text and returns its charset. It returns the errors of Read.
func (t Text) Detect() (Charset, error) {
	source, err := t.Open()
	if err != nil {
		return Charset{}, err
	}
	defer source.Close()
	start := starts.Get().(*bufio.Reader)
	defer free(start)
	start.Reset(&lastingError{source: source})
	head, ended, err := peek(start)
	if err != nil {
		return Charset{}, err
	}
	return detect(start, head[:min(len(head), headSize)], ended, declared(t.ContentType))
}

// Decode returns the text of data in UTF-8. It returns a *NotTextError if the content is not text.
func Decode(data []byte, contentType string) (text []byte, o Outcome, err error) {
	source := Text{ContentType: contentType, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	o, err = source.Read(func(r io.Reader) (err error) {
		text, err = io.ReadAll(r)
		return err
	})
	return text, o, err
}

// Reader reads a text as UTF-8.
type Reader struct {
	io.Reader
	Charset
	start    *bufio.Reader // buffers the start of a text, or all of a small text
	replaced int64
}

// NewReader returns a reader of a text in the charset. The caller must call Free after its last read.
func (c Charset) NewReader(source io.Reader) (*Reader, error) {
	r := &Reader{Charset: c, start: starts.Get().(*bufio.Reader)}
	r.start.Reset(source)
	if err := r.open(r.start, false); err != nil {
		r.Free()
		return nil, err
	}
	return r, nil
}

// open begins the text after the byte order mark.
func (r *Reader) open(source *bufio.Reader, strict bool) error {
	if _, err := source.Discard(r.mark); err != nil {
		return fmt.Errorf("reading the byte order mark: %w", err)
	}
	r.Reader = r.reader(source, strict, &r.replaced)
	return nil
}

// newReader returns a reader of the text in the charset that its start suggests. Its Read returns ErrContradicted
// if the text is not in that charset.
func newReader(source io.Reader, contentType string) (_ *Reader, err error) {
	r := &Reader{start: starts.Get().(*bufio.Reader)}
	r.start.Reset(&lastingError{source: source})
	defer func() {
		if err != nil {
			r.Free()
		}
	}()
	head, ended, err := peek(r.start)
	if err != nil {
		return nil, err
	}
	says := declared(contentType)
	if ended && !plain(head, says) { // the buffer contains all of the text
		if r.Charset, err = detect(bytes.NewReader(head), head[:min(len(head), headSize)], len(head) <= headSize, says); err != nil {
			return nil, err
		}
		return r, r.open(r.start, false)
	}
	c, settled, err := choose(head[:min(len(head), headSize)], ended && len(head) <= headSize, says)
	if err != nil {
		return nil, err
	}
	rest := r.start
	if !ended {
		rest = bufio.NewReaderSize(r.start, bufferSize)
	}
	r.Charset = c
	if settled {
		return r, r.open(rest, c.How != Marked)
	}
	r.Reader = &asciiReader{source: asciiSource{rest}, text: r}
	return r, nil
}

// plain reports whether a whole text is UTF-8 without doubt.
func plain(text []byte, says declaration) bool {
	return (!says.known || says.charset == charset.UTF8) && charset.FindEscape(text) < 0 && utf8.Valid(text)
}

// peek returns the buffered start of a text, and whether it is all of the text.
func peek(start *bufio.Reader) (head []byte, ended bool, err error) {
	head, err = start.Peek(startSize)
	switch {
	case err == nil:
		return head, false, nil
	case errors.Is(err, io.EOF):
		return head, true, nil
	case len(head) >= headSize:
		return head, false, nil // the error is returned again after these bytes
	}
	return nil, false, fmt.Errorf("reading the head of the content: %w", err)
}

// Free returns the Reader's buffer to the pool. It does not close the source.
func (r *Reader) Free() { free(r.start) }

func free(start *bufio.Reader) {
	start.Reset(nil)
	starts.Put(start)
}

// starts is the pool of buffers.
var starts = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, startSize) }}

// choose returns the charset that the head of a stream suggests, and whether that is settled before any byte beyond
// ASCII. whole means that the head is the entire stream. It returns a *NotTextError if the content is not text.
func choose(head []byte, whole bool, says declaration) (c Charset, settled bool, err error) {
	if marked, length := findMark(head); length > 0 {
		c = newCharset(marked, Marked, says.other(marked))
		c.mark = length
		return c, true, checkText(decode(marked, head[length:]), head)
	}
	if says.known && !asciiBased(says.charset) && fits(says.charset, head, whole) {
		return newCharset(says.charset, Declared, ""), true, checkText(decode(says.charset, head), head)
	}
	err = checkText(head, head)
	if bytes.IndexByte(head, 0) >= 0 && !hasFormat(err) {
		if found, ok := charset.UTF16(head); ok {
			return newCharset(found, Detected, says.other(found)), true, nil
		}
	}
	c = newCharset(charset.UTF8, Detected, says.other(charset.UTF8))
	if says.known && asciiBased(says.charset) {
		c = newCharset(says.charset, Declared, "")
	}
	return c, false, err
}

// lastingError returns the error of its source again on each Read. A bufio.Reader reports an error
// once, and Peek may consume it.
type lastingError struct {
	source io.Reader
	err    error
}

func (l *lastingError) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.source.Read(p)
	l.err = err
	return n, err
}
