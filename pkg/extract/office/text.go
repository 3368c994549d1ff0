package office

import (
	"bytes"
	"errors"
	"strings"
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
// stronger one. It replaces a weaker one.
func (t *text) separate(by byte) error {
	const strength = " \t\n"
	b := t.b.Bytes()
	if len(b) == 0 || strings.IndexByte(strength, b[len(b)-1]) >= strings.IndexByte(strength, by) {
		return nil
	}
	if strings.IndexByte(strength, b[len(b)-1]) >= 0 {
		t.b.Truncate(len(b) - 1)
	}
	return t.add(string(by))
}

func (t *text) String() string { return strings.TrimSpace(strings.ToValidUTF8(t.b.String(), "\uFFFD")) }
