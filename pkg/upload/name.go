package upload

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName returns what is wrong with the characters of a name, or an empty string. Each area limits the length.
func CheckName(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsFunc(name, Unprintable):
		return "contains a control character, a line separator, or a character that changes the direction of text"
	case name != "" && !strings.ContainsFunc(name, visible):
		return "contains no visible character"
	}
	return ""
}

// visible reports whether a character leaves a mark on the screen. Unassigned and private characters count as visible.
func visible(r rune) bool {
	const blankBraille = 0x2800
	return r != blankBraille && !unicode.In(
		r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	)
}

// Unprintable reports whether names must not contain a character: a control character, a line or paragraph separator,
// or a bidirectional embedding, override or isolate, with which a name is displayed in another order, so that
// gnp.exe looks like exe.png. The directional marks, which do not reorder other text, are allowed.
func Unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
