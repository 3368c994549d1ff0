package upload

import (
	"strings"
	"testing"
	"unicode"
)

func TestNames(t *testing.T) {
	for _, name := range []string{
		"", "a.txt", "\u200eא.txt\u200f", "שלום עולם.txt", "क्\u200dष.txt", "👨‍👩‍👧‍👦.txt", " a ", "../a", `a\b`, "\ufffd.txt", "%00", strings.Repeat("é", 1000),
	} {
		if wrong := CheckName(name); wrong != "" {
			t.Errorf("%+q: %s, want a valid name", name, wrong)
		}
	}
	for _, name := range []string{"\xff", "a\xed\xa0\x80.txt"} {
		if wrong := CheckName(name); !strings.Contains(wrong, "UTF-8") {
			t.Errorf("%+q: got %q, want a name that is not UTF-8", name, wrong)
		}
	}
	if wrong := CheckName("a\u202egnp.exe"); !strings.Contains(wrong, "direction") {
		t.Errorf("reordered name: got %q, want an error about the direction of text", wrong)
	}
	for _, name := range []string{
		" ", "\u200b", "\u200b\u00a0\u2060", "\ufeff", "\u00ad", "\u200e\u200f", "\u3164", "\u115f\u1160", "\u3000", "\ufe0f",
		"\u2800", "\U000e0020",
	} {
		if wrong := CheckName(name); !strings.Contains(wrong, "no visible character") {
			t.Errorf("%+q: got %q, want an error about visible characters", name, wrong)
		}
	}
	for _, name := range []string{"\u200ba", ".", "\u0301", "\ue000", "\U0010fffd", "\U0001fae9", "_", "\u200d\u0915"} {
		if wrong := CheckName(name); wrong != "" {
			t.Errorf("%+q: %s, want a valid name", name, wrong)
		}
	}
	for r := range unicode.MaxRune {
		// Bidi_Control is the directional marks, and the characters that reorder text.
		want := unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Bidi_Control, r) && r != 0x61c && r != 0x200e && r != 0x200f
		if got := Unprintable(r); got != want {
			t.Fatalf("Unprintable(%U) = %t, want %t", r, got, want)
		}
	}
}
