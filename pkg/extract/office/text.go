package office

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errTextEnds stops the parser when the text has reached its limit.
var errTextEnds = errors.New("the text has reached its limit")

// text collects the text of a document up to a limit.
type text struct {
	b    bytes.Buffer
	most int
	full bool
}

// add appends s unchanged.
func (t *text) add(s string) error {
	if room := t.most - t.b.Len(); len(s) > room {
		for room > 0 && !utf8.RuneStart(s[room]) {
			room--
		}
		s, t.full = s[:room], true
	}
	t.b.WriteString(s)
	if t.full {
		return errTextEnds
	}
	return nil
}

// separate appends a separator (space, tab or line feed) unless the text ends with the same or a
// stronger one, or with a page. It replaces a weaker one.
func (t *text) separate(by byte) error {
	const strength = " \t\n\f"
	b := t.b.Bytes()
	if len(b) == 0 || strings.IndexByte(strength, b[len(b)-1]) >= strings.IndexByte(strength, by) {
		return nil
	}
	if strings.IndexByte(strength, b[len(b)-1]) >= 0 {
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

// String returns the text without the white space around it. Pages without text at its beginning are kept.
func (t *text) String() string {
	shown := strings.TrimRightFunc(strings.ToValidUTF8(t.b.String(), "\uFFFD"), unicode.IsSpace)
	return strings.TrimLeftFunc(shown, func(r rune) bool { return r != '\f' && unicode.IsSpace(r) })
}
