package plaintext

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/assay-project/assay/pkg/extract/charset"
)

// How says how the charset of a text was found.
type How string

const (
	Marked   How = "mark"     // by a byte order mark
	Declared How = "declared" // it is the one of the content type
	Detected How = "detected" // from the bytes
	Assumed  How = "assumed"  // from the bytes, but another one is nearly as likely
)

// Charset is the charset of a text.
type Charset struct {
	Name string // in lower case, such as "utf-8" or "windows-1252"
	How  How
	// Ignored is the declared label if it names no known charset, or one that the bytes contradict.
	Ignored string
	// Rival is the name of another charset that is nearly as likely, if How is Assumed.
	Rival string

	known charset.Charset
	mark  int // the length of the byte order mark, which is not part of the text
}

func newCharset(c charset.Charset, how How, ignored string) Charset {
	return Charset{Name: c.Name, How: how, Ignored: ignored, known: c}
}

// ErrContradicted means that a text is not in the charset that its start suggested.
var ErrContradicted = errors.New("the text is not in the charset that its start suggested")

const replacement = "\uFFFD"

// reader returns a reader of the text after the byte order mark, in UTF-8. Bytes that are not in the charset
// contradict it if strict. Otherwise they read as U+FFFD, and replaced counts them.
func (c Charset) reader(source *bufio.Reader, strict bool, replaced *int64) io.Reader {
	if c.known == charset.UTF8 {
		return &utf8Reader{source: source, strict: strict, replaced: replaced}
	}
	decoder := c.known.Encoding.NewDecoder().Transformer
	return transform.NewReader(source, &checkedDecoder{Transformer: decoder, own: ownReplacement(c.known), strict: strict, replaced: replaced})
}

// ownReplacement returns the bytes of U+FFFD in a charset that has it. Most charsets have not.
func ownReplacement(c charset.Charset) []byte {
	coded, err := c.Encoding.NewEncoder().Bytes([]byte(replacement))
	if err != nil {
		return nil
	}
	return coded
}

// checkedDecoder counts the bytes that its charset does not define, or returns ErrContradicted for them.
type checkedDecoder struct {
	transform.Transformer
	own      []byte // the charset's own U+FFFD, if it has one
	strict   bool
	replaced *int64
}

// Transform implements transform.Transformer. A character that the end of the text cuts contradicts no charset.
func (d *checkedDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = d.Transformer.Transform(dst, src, false)
	if n := d.count(dst[:nDst], src[:nSrc]); n > 0 {
		if d.strict {
			return 0, 0, ErrContradicted
		}
		*d.replaced += int64(n)
	}
	if atEOF && errors.Is(err, transform.ErrShortSrc) {
		var wrote, read int
		wrote, read, err = d.Transformer.Transform(dst[nDst:], src[nSrc:], true)
		*d.replaced += int64(d.count(dst[nDst:nDst+wrote], src[nSrc:nSrc+read]))
		nDst, nSrc = nDst+wrote, nSrc+read
	}
	return nDst, nSrc, err
}

func (d *checkedDecoder) count(decoded, coded []byte) int {
	n := bytes.Count(decoded, []byte(replacement))
	if n > 0 && len(d.own) > 0 {
		n -= bytes.Count(coded, d.own)
	}
	return max(n, 0)
}

// declaration is what a content type says about the charset.
type declaration struct {
	label   string // as declared; empty if nothing is, or if it is US-ASCII, which says nothing about other bytes
	charset charset.Charset
	known   bool
}

func declared(contentType string) declaration {
	_, params, err := mime.ParseMediaType(contentType)
	label := strings.TrimSpace(params["charset"])
	if err != nil || label == "" || charset.IsASCII(label) {
		return declaration{}
	}
	c, known := charset.Lookup(label)
	return declaration{label: label, charset: c, known: known}
}

// other returns the label of a declaration if it does not name c.
func (d declaration) other(c charset.Charset) string {
	if d.known && d.charset.Name == c.Name {
		return ""
	}
	return d.label
}

// findMark returns the charset of the byte order mark at the start of head, and its length in bytes.
func findMark(head []byte) (c charset.Charset, length int) {
	start := string(head[:min(len(head), 4)])
	switch {
	case strings.HasPrefix(start, "\xEF\xBB\xBF"):
		return charset.UTF8, 3
	case start == "\xFF\xFE\x00\x00":
		return charset.Charset{Name: "utf-32le", Encoding: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}, 4
	case start == "\x00\x00\xFE\xFF":
		return charset.Charset{Name: "utf-32be", Encoding: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}, 4
	case strings.HasPrefix(start, "\xFF\xFE"):
		return charset.Charset{Name: "utf-16le", Encoding: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}, 2
	case strings.HasPrefix(start, "\xFE\xFF"):
		return charset.Charset{Name: "utf-16be", Encoding: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}, 2
	}
	return charset.Charset{}, 0
}
