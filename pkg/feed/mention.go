package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mentions reports whether a phrase occurs in a text, case-insensitively and at word boundaries.
func Mentions(text, phrase string) bool {
	text, phrase = strings.ToLower(text), strings.ToLower(phrase)
	first, _ := utf8.DecodeRuneInString(phrase)
	end, _ := utf8.DecodeLastRuneInString(phrase)
	for from := 0; phrase != ""; {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, size := utf8.DecodeRuneInString(text[at+len(phrase):])
		if !(inWord(before) && inWord(first)) && !(size > 0 && inWord(after) && inWord(end)) {
			return true
		}
		_, step := utf8.DecodeRuneInString(text[at:])
		from = at + step
	}
	return false
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r)) }
