// Package tag defines what tags are: those of feed items, and those that owners give to their items.
package tag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Max is the maximum number of characters of a tag.
const Max = 50

// Spaced returns a text without leading and trailing spaces, and with single spaces between words.
func Spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// Fold returns the form in which tags are compared and counted: in Unicode's canonical composition (NFC), with case folded.
func Fold(tag string) string {
	folded := cases.Fold().String(norm.NFC.String(tag))
	return norm.NFC.String(folded)
}

// Parse returns the tag that a text means: spaced, in NFC. wrong states what is wrong with it, and is empty for a valid tag.
func Parse(text string) (tag, wrong string) {
	tag = norm.NFC.String(Spaced(text))
	return tag, Check(tag)
}

// Check returns what is wrong with a spaced tag, or an empty string.
func Check(tag string) string {
	switch {
	case utf8.RuneCountInString(tag) > Max:
		return fmt.Sprintf("is longer than %d characters", Max)
	case Blank(tag):
		return "is blank, or has no visible character"
	case !utf8.ValidString(tag) || strings.ContainsRune(tag, utf8.RuneError): // also what JSON decoders make of a lone surrogate
		return "has a character that could not be decoded: U+FFFD, or half of a surrogate pair"
	case strings.ContainsFunc(tag, Invisible):
		return "has a control character, or one that changes the direction of text"
	}
	return ""
}

// Invisible reports whether a character is invisible and can change how the text around it is shown: a
// control character, or one that sets the direction of text. Tags must not contain such characters.
func Invisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// Blank reports whether no character of a text is visible. Joiners and variation selectors are allowed within words, but
// show nothing themselves.
func Blank(text string) bool { return !strings.ContainsFunc(text, visible) }

func visible(r rune) bool {
	const (
		brailleBlank = '\u2800'
		nullNotehead = '\U0001D159'
	)
	return r != brailleBlank && r != nullNotehead && !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}
