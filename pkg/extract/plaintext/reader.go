// Package plaintext turns the bytes of an uploaded object into a UTF-8 stream,
// or reports the format of an object that is not text.
//
// The charset is chosen in this order:
//
//  1. A byte order mark: UTF-8, UTF-16 or UTF-32. The mark is removed. A byte that
//     is not valid reads as U+FFFD, the replacement character.
//  2. The charset declared in the content type. Bytes that it does not define
//     contradict it, except for a character truncated by the end of the text, which
//     reads as U+FFFD. UTF-16 is also contradicted by 4 KiB of valid UTF-8
//     without a NUL. A declaration of US-ASCII is ignored: it does not cover
//     non-ASCII bytes.
//  3. UTF-8, if all of the text is valid.
//  4. Windows-1252.
//
// Whether the bytes contradict a charset is certain only at the end of the text, but
// a Reader uses constant memory. So it reads ASCII, which all rules decode alike, up
// to the first other byte. There it selects the first rule that the next 4 KiB do not
// contradict. If later bytes contradict it, Read returns a *RestartError, and the caller
// reads the text again from its start with the next rule. A text is read at most twice,
// or three times if a charset other than UTF-8 is declared.
//
// A stream is not text if its first 4 KiB contain a NUL, or many characters
// that do not occur in text, or begin like a PDF file. HTML, XML, SVG, JSON,
// CSV, RTF and source code are text and pass with their markup.
package plaintext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/assay-project/assay/pkg/extract/reason"
)

const (
	headSize   = 4096         // bytes examined to detect text and its charset
	startSize  = 2 * headSize // bytes read first; a larger buffer would slow down small texts
	bufferSize = 32 * 1024    // minimum bytes per further read
)

// UnknownCharsetError means that the content type declares a charset without a decoder.
type UnknownCharsetError struct {
	Charset string // as declared
}

func (e *UnknownCharsetError) Error() string {
	return e.Unwrap().Error()
}

// Unwrap returns the reason.
func (e *UnknownCharsetError) Unwrap() error { return reason.UnknownCharset.Fill(e.Charset) }

// NewReader calls Declared.NewReader, which starts with the first rule.
func NewReader(r io.Reader, contentType string) (*Reader, error) {
	return Declared.NewReader(r, contentType)
}

// NewReader returns a reader of the text in UTF-8, without a byte order mark. It applies the rules
// of the package documentation, starting with rule. The result is always valid UTF-8. contentType
// is the declared media type with its charset parameter; it may be empty. NewReader reads up to 8
// KiB of r. The returned reader reads ahead, and its Read returns a *RestartError if the bytes
// contradict the selected charset.
//
// To read a stream at several positions concurrently, use Parts.
//
// The caller must call Free after its last read. NewReader returns a *NotTextError if the content is
// not text, an *UnknownCharsetError if the declared charset is unknown, and the error of r if its
// head cannot be read.
func (rule Rule) NewReader(r io.Reader, contentType string) (_ *Reader, err error) {
	text := &Reader{start: starts.Get().(*bufio.Reader)}
	text.start.Reset(&lastingError{source: r})
	defer func() {
		if err != nil {
			text.Free()
		}
	}()
	source := text.start
	start, ended := source.Peek(startSize)
	if len(start) < headSize && ended != nil && !errors.Is(ended, io.EOF) {
		return nil, fmt.Errorf("reading the head of the content: %w", ended)
	}
	head := start[:min(len(start), headSize)]
	if ended == nil {
		source = bufio.NewReaderSize(source, bufferSize)
	}

	c, err := choose(head, len(start) < headSize, contentType, rule)
	if err != nil {
		return nil, err
	}
	if _, err := source.Discard(c.mark); err != nil {
		return nil, fmt.Errorf("reading the byte order mark: %w", err)
	}
	if c.settled != nil {
		text.Reader = c.settled.reader(source)
	} else {
		text.Reader = &asciiReader{source: asciiSource{source}, possible: c.possible}
	}
	return text, nil
}

// Reader reads a text as UTF-8.
type Reader struct {
	io.Reader
	start *bufio.Reader // buffers the start of a text, or all of a small text
}

// Free returns the Reader's buffer to the pool. It does not close the source.
func (r *Reader) Free() {
	r.start.Reset(nil)
	starts.Put(r.start)
}

// starts is the pool of buffers.
var starts = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, startSize) }}

// choice is the charset selected from the head of a stream.
type choice struct {
	mark    int      // length of the byte order mark, which is not part of the text
	settled *charset // nil if the choice depends on the first non-ASCII byte
	// possible lists the candidates for the text from that byte on, in the order of the rules. All
	// are supersets of ASCII, and Windows-1252 is the last.
	possible []charset
}

// undeclared lists the candidates for a text without a useful declaration.
var undeclared = []charset{{UTF8, unicode.UTF8}, {Windows1252, charmap.Windows1252}}

// choose detects the charset from the head of a stream. whole means that the head is the entire
// stream. It returns the errors of NewReader.
func choose(head []byte, whole bool, contentType string, rule Rule) (choice, error) {
	mark, marked, length := findMark(head)
	if marked {
		return choice{mark: length, settled: &charset{byteOrderMark, mark}}, checkText(decode(mark, head[length:]), head)
	}
	c := choice{possible: undeclared}
	switch rule {
	case Windows1252:
		c.possible = c.possible[1:]
	case Declared:
		declared, name, err := declaredCharset(contentType)
		switch {
		case err != nil:
			return choice{}, err
		case declared == nil || declared == unicode.UTF8:
		case notASCIIBased(name) || strings.HasPrefix(name, "utf-16"):
			settled := charset{Declared, declared}
			if settled.fits(head, whole) && (notASCIIBased(name) || !isUTF16Contradicted(head, whole)) {
				return choice{settled: &settled}, checkText(decode(declared, head), head)
			}
		default:
			c.possible = append([]charset{{Declared, declared}}, undeclared...)
		}
	}
	return c, checkText(head, head)
}

// isUTF16Contradicted reports whether head is valid UTF-8 without a NUL. Such bytes
// are almost never UTF-16, in which each ASCII character has a NUL.
func isUTF16Contradicted(head []byte, whole bool) bool {
	return (charset{UTF8, unicode.UTF8}).fits(head, whole) && bytes.IndexByte(head, 0) < 0
}

// findMark returns the encoding of the byte order mark at the start of head, and the mark's length
// in bytes.
func findMark(head []byte) (encoding.Encoding, bool, int) {
	start := string(head[:min(len(head), 4)])
	switch {
	case strings.HasPrefix(start, "\xEF\xBB\xBF"):
		return unicode.UTF8, true, 3
	case start == "\xFF\xFE\x00\x00":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), true, 4
	case start == "\x00\x00\xFE\xFF":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), true, 4
	case strings.HasPrefix(start, "\xFF\xFE"):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), true, 2
	case strings.HasPrefix(start, "\xFE\xFF"):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), true, 2
	}
	return nil, false, 0
}

// declaredCharset returns the encoding that contentType declares, with its canonical name in lower
// case, or nil if it declares none, declares US-ASCII, or cannot be parsed. Labels are looked up in
// the WHATWG Encoding Standard, then in the IANA registry.
func declaredCharset(contentType string) (encoding.Encoding, string, error) {
	_, params, err := mime.ParseMediaType(contentType)
	label := strings.TrimSpace(params["charset"])
	if err != nil || label == "" || slices.Contains(asciiLabels, strings.ToLower(label)) {
		return nil, "", nil
	}
	if e, err := htmlindex.Get(label); err == nil && e != encoding.Replacement {
		name, err := htmlindex.Name(e)
		if err != nil {
			return nil, "", &UnknownCharsetError{Charset: label}
		}
		if e == simplifiedchinese.GBK {
			e = simplifiedchinese.GB18030 // the standard uses this decoder for both
		}
		return e, name, nil
	}
	// The index returns neither an encoding nor an error for a name that it knows but cannot
	// decode.
	e, err := ianaindex.IANA.Encoding(label)
	if err != nil || e == nil {
		return nil, "", &UnknownCharsetError{Charset: label}
	}
	name, err := ianaindex.IANA.Name(e)
	if err != nil {
		return nil, "", &UnknownCharsetError{Charset: label}
	}
	return e, strings.ToLower(name), nil
}

// asciiLabels lists the names of US-ASCII in the standard and at IANA. The standard decodes all of
// them as Windows-1252, which is the last rule anyway.
var asciiLabels = []string{
	"us-ascii", "ascii", "ansi_x3.4-1968", "ansi_x3.4-1986", "iso_646.irv:1991", "iso646-us", "iso-ir-6", "us", "ibm367", "cp367", "csascii",
}

// notASCIIBased reports whether the charset is not a superset of ASCII, so that its texts can look
// like valid UTF-8.
func notASCIIBased(name string) bool {
	return slices.Contains([]string{"iso-2022-jp", "hz-gb-2312", "ibm037", "ibm1047", "ibm01140"}, name)
}

// decode returns head in UTF-8. A character truncated by the end of head reads as U+FFFD.
func decode(e encoding.Encoding, head []byte) []byte {
	text, err := e.NewDecoder().Bytes(head)
	if err != nil {
		return head
	}
	return text
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
