package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Word is a word of a text.
type Word struct {
	Start, End int    // byte offsets in the text
	Text       string // folded for comparison
}

// maxWord is the number of bytes of a folded word that are compared.
const maxWord = 64

// Words iterates over the words of a text: the longest runs of letters, numbers and combining marks. In
// scripts without word separators, each character is a word. Engines index these words and compare them
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

// unspaced lists the scripts that do not separate words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return letter
		}
		return separator
	case unicode.Is(unicode.M, r):
		return mark
	case !unicode.In(r, unicode.L, unicode.N):
		return separator
	case unicode.In(r, unspaced...):
		return character
	}
	return letter
}

// fold returns a word in the form used for comparison: in lower case, with compatibility characters decomposed,
// and without the diacritics of Latin, Greek and Cyrillic letters.
func fold(word string, plain bool) string {
	if plain {
		return strings.ToLower(word[:min(len(word), maxWord)])
	}
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(diacritics, r) || !unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(word))
	if len(folded) > maxWord {
		end := maxWord
		for !utf8.RuneStart(folded[end]) {
			end--
		}
		folded = folded[:end]
	}
	return folded
}

// diacritics are the combining diacritical marks.
var diacritics = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x0300, Hi: 0x036f, Stride: 1}}}

// Fold returns the sort key of a name: the name in lower case and without diacritics.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(diacritics, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(name))
}
