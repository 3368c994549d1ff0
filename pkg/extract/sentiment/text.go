package sentiment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// classes classifies bytes.
type classes [256]class

type class uint8

const (
	space       class = 1 << iota // ASCII white space of the reference's str.split
	punctuation                   // string.punctuation of the reference
	capital
	small
	wide // part of a non-ASCII character
)

func newClasses() (all classes) {
	for c := range all {
		switch {
		case strings.IndexByte(" \t\n\v\f\r\x1c\x1d\x1e\x1f", byte(c)) >= 0:
			all[c] = space
		case 'A' <= c && c <= 'Z':
			all[c] = capital
		case 'a' <= c && c <= 'z':
			all[c] = small
		case c >= utf8.RuneSelf:
			all[c] = wide
		case ' ' < c && c < 0x7f && (c < '0' || '9' < c):
			all[c] = punctuation
		}
	}
	return all
}

// emoji maps emoji to descriptions.
type emoji struct {
	descriptions map[rune]string
	blocks       [utf8.MaxRune>>8 + 1]bool // whether a block of 256 code points contains any
}

func newEmoji() *emoji {
	e := &emoji{descriptions: map[rune]string{}}
	for line := range strings.Lines(lexiconEmoji) {
		character, description, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		r, _ := utf8.DecodeRuneInString(character)
		e.descriptions[r] = description
		e.blocks[r>>8] = true
	}
	return e
}

// appendText appends the text to dst in a normalized form. It replaces emoji with their
// descriptions, non-ASCII white space with a space, and the Kelvin sign with K. If quotes is set,
// it also replaces quotation marks.
func (e *emoji) appendText(dst []byte, text string, quotes bool) []byte {
	copied := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		replacement := ""
		switch {
		case r == '\u212a': // the Kelvin sign, whose lower case is k
			replacement = "K"
		case isWideSpace(r):
			replacement = " "
		case quotes && quote(r) != "":
			replacement = quote(r)
		case e.blocks[r>>8]:
			replacement = e.descriptions[r]
		}
		if replacement != "" {
			dst = append(dst, text[copied:i]...)
			if len(replacement) > 1 {
				// Text directly after an emoji becomes part of the last word of
				// its description; text directly before it does not become part of the first.
				dst = append(dst, ' ')
			}
			dst = append(dst, replacement...)
			copied = i + size
		}
		i += size
	}
	return append(dst, text[copied:]...)
}

// quote returns the ASCII form of an apostrophe or a quotation mark, or an empty string for another
// character. The reference treats these characters as letters.
func quote(r rune) string {
	switch r {
	case 0x2bc, 0x2018, 0x2019, 0x201a, 0x201b, 0x2032, 0xff07:
		return "'"
	case 0xab, 0xbb, 0x201c, 0x201d, 0x201e, 0x201f, 0x2033, 0xff02:
		return `"`
	}
	return ""
}

// isWideSpace reports whether the reference's str.split splits at the non-ASCII character r.
func isWideSpace(r rune) bool {
	switch r {
	case 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

// isCapitals implements str.isupper of the reference: it reports whether the text has an upper-case
// letter, and neither a lower-case nor a title-case one. It uses the letter case of Unicode 15;
// that of Unicode 14, which Python 3.11 uses, differs in 73 modifier letters.
func isCapitals(text []byte) bool {
	found := false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.In(r, unicode.Lower, unicode.Other_Lowercase, unicode.Title):
			return false
		case unicode.In(r, unicode.Upper, unicode.Other_Uppercase):
			found = true
		}
	}
	return found
}
