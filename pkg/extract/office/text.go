package office

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errTextEnds stops the parser when the text has reached its limit.
var errTextEnds = errors.New("the text has reached its limit")

const (
	// written is the size of the text from which it is written, outside of elements that may change or repeat their text.
	written = 256 << 10
	// maxHeld is the maximum size of the text that is kept in an element. The text of a larger one is written before the element
	// ends, so it is neither moved nor repeated.
	maxHeld = 8 << 20
)

// text collects the text of a document up to a limit. If it has a writer, it keeps only the end of the text.
type text struct {
	b    bytes.Buffer
	at   int       // number of bytes before b, which are written
	to   io.Writer // nil if all of the text is kept
	held int       // number of elements that are being read and may change or repeat their text
	most int
	full bool
}

// len returns the length of the text.
func (t *text) len() int { return t.at + t.b.Len() }

// since returns the text from a position. It is empty if that was written.
func (t *text) since(from int) []byte {
	if from < t.at || from > t.len() {
		return nil
	}
	return t.b.Bytes()[from-t.at:]
}

// truncate removes the text from a position, unless that was written.
func (t *text) truncate(from int) {
	if from >= t.at && from < t.len() {
		t.b.Truncate(from - t.at)
	}
}

// add appends s unchanged.
func (t *text) add(s string) error {
	if room := t.most - t.len(); len(s) > room {
		for room > 0 && !utf8.RuneStart(s[room]) {
			room--
		}
		s, t.full = s[:max(room, 0)], true
	}
	t.b.WriteString(s)
	if t.full {
		return errTextEnds
	}
	if t.to != nil && (t.held == 0 && t.b.Len() >= written || t.b.Len() >= maxHeld) {
		return t.write(len(bytes.TrimRightFunc(t.b.Bytes(), unicode.IsSpace)))
	}
	return nil
}

// write writes the first n bytes that are kept. White space after them must follow, because it can be replaced.
func (t *text) write(n int) error {
	part := t.b.Next(n)
	if t.at == 0 {
		part = bytes.TrimLeftFunc(part, leading)
	}
	t.at += n
	if !utf8.Valid(part) {
		part = bytes.ToValidUTF8(part, []byte("\uFFFD"))
	}
	_, err := t.to.Write(part)
	return err
}

// end writes the rest of the text, if it has a writer, without the white space at its end.
func (t *text) end() error {
	if t.to == nil {
		return nil
	}
	return t.write(len(bytes.TrimRightFunc(t.b.Bytes(), unicode.IsSpace)))
}

// separate appends a separator (space, tab or line feed) unless the text ends with the same or a
// stronger one, or with a page. It replaces a weaker one.
func (t *text) separate(by byte) error {
	const strength = " \t\n\f"
	b := t.b.Bytes()
	if t.len() == 0 || len(b) > 0 && strings.IndexByte(strength, b[len(b)-1]) >= strings.IndexByte(strength, by) {
		return nil
	}
	if len(b) > 0 && strings.IndexByte(strength, b[len(b)-1]) >= 0 {
		t.b.Truncate(len(b) - 1)
	}
	return t.add(string(by))
}

// endPage ends a slide or a sheet.
func (t *text) endPage() error {
	t.b.Truncate(len(bytes.TrimRight(t.b.Bytes(), " \t\n")))
	return t.add("\f")
}

// continuePage continues the page that ended last.
func (t *text) continuePage() { t.b.Truncate(len(bytes.TrimSuffix(t.b.Bytes(), []byte("\f")))) }

// leading reports whether a character is removed at the beginning of the text. Pages without text are kept.
func leading(r rune) bool { return r != '\f' && unicode.IsSpace(r) }

// String returns the text that is kept, without the white space around it.
func (t *text) String() string {
	if t.to != nil {
		return ""
	}
	shown := strings.TrimRightFunc(strings.ToValidUTF8(t.b.String(), "\uFFFD"), unicode.IsSpace)
	return strings.TrimLeftFunc(shown, leading)
}
