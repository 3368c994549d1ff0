package terms

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is a word of a text.
type Word struct {
	Start, End int    // byte offsets in the text
	Text       string // folded for comparison
}

// maxWord is the number of bytes of a folded word that are compared.
const maxWord = 64

// Words iterates over the words of a text: the longest runs of letters, numbers and combining marks. In
// scripts without word separators, and in Korean, whose particles follow words without a space, each character is a word.
// Characters that are not displayed, such as soft hyphens, do not separate words. Engines index these words and compare them
// bytewise, so all engines and the snippets agree on matches.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		start, single, plain := -1, false, true
		end := func(at int) bool {
			if start < 0 {
				return true
			}
			w := Word{Start: start, End: at, Text: fold(text[start:at], plain)}
			start, plain = -1, true
			return w.Text == "" || yield(w)
		}
		for at := 0; at < len(text); {
			r, size := rune(text[at]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[at:])
			}
			k := kindOf(r)
			if start >= 0 && (k == separator || k == character || k == letter && single) && !end(at) {
				return
			}
			if k != separator {
				if start < 0 {
					start, single = at, k == character
				}
				plain = plain && r < utf8.RuneSelf
			}
			at += size
		}
		end(len(text))
	}
}

type kind int

const (
	separator kind = iota
	letter
	mark
	character // a word by itself
)

// unspaced lists the scripts whose characters are words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Hangul}

// ignorable are the characters that are not displayed (the property Default_Ignorable_Code_Point). The zero width space is
// not one of them here: it separates words.
var ignorable = []*unicode.RangeTable{unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}

const zeroWidthSpace = '\u200b'

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return letter
		}
		return separator
	case r == zeroWidthSpace:
		return separator
	case unicode.Is(unicode.M, r), unicode.In(r, ignorable...):
		return mark
	case !unicode.In(r, unicode.L, unicode.N):
		return separator
	case unicode.In(r, unspaced...):
		return character
	}
	return letter
}

// fold returns a word in the form used for comparison: with case folded, with compatibility characters decomposed, without the
// marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters, and with Latin letters instead of their variants.
func fold(word string, plain bool) string {
	if plain {
		return strings.ToLower(word[:min(len(word), maxWord)])
	}
	folded := strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return -1
		}
		return r
	}, Fold(word))
	if len(folded) > maxWord {
		end := maxWord
		for !utf8.RuneStart(folded[end]) {
			end--
		}
		folded = folded[:end]
	}
	return folded
}

const (
	// minInflected and maxInflected are the numbers of characters of a word that has other forms.
	minInflected = 3
	maxInflected = 32
)

// Inflected reports whether a word has other forms, and whether typing errors in it are recognizable: it consists of 3 to 32
// letters. word is a word of Words, folded or not.
func Inflected(word string) bool {
	if n := utf8.RuneCountInString(word); n < minInflected || n > maxInflected {
		return false
	}
	return !strings.ContainsFunc(word, func(r rune) bool {
		return unicode.Is(unicode.N, r) || kindOf(r) == character
	})
}
