package wordstats

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestStrictCounts checks that a strict count fails at bytes that are not UTF-8, at any position and
// with any way of reading the text, and that other counts succeed.
func TestStrictCounts(t *testing.T) {
	plain := strings.Repeat("plain words, Größe 你好 🙂 ", 4_000)
	for name, text := range map[string]string{
		"valid":                   plain + "\uFFFD" + plain + "\x00",
		"invalid byte":            plain + "\xFF" + plain,
		"truncated at the end":    plain + "\xE4\xBD",
		"truncated in the middle": plain + "\xC3 " + plain,
		"surrogate":               plain + "\xED\xA0\x80" + plain,
		"overlong":                plain + "\xC0\xAF" + plain,
		"in a long word":          plain + strings.Repeat("ö", 200_000) + "\xC3" + strings.Repeat("x", 200_000),
		"at the end of a word":    strings.Repeat("x", 200_000) + "\x80",
		"between ASCII":           strings.Repeat("a", 100) + "\x92" + strings.Repeat("a", 100),
	} {
		valid := utf8.ValidString(text)
		for _, strict := range []bool{true, false} {
			l := Limits{Strict: strict}
			want := strict && !valid
			_, whole := l.Count(strings.NewReader(text))
			_, ahead := l.CountAhead(strings.NewReader(text))
			_, parts := l.CountParts(t.Context(), (&source{text: text, failAt: -1}).parts(10_000, 2))
			for how, err := range map[string]error{"whole": whole, "ahead": ahead, "in parts": parts} {
				if errors.Is(err, ErrNotUTF8) != want || !want && err != nil {
					t.Errorf("%s, strict %t, %s: got error %v, want ErrNotUTF8 %t", name, strict, how, err, want)
				}
			}
		}
	}
	if _, err := Count(io.LimitReader(strings.NewReader("ö"), 1)); err != nil { // the state of the previous counter is reset
		t.Errorf("after strict counts: got error %v, want none", err)
	}
}
