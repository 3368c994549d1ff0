package charset

import (
	"math"
	"unicode"

	"github.com/assay-project/assay/pkg/extract/letters"
)

const bit = letters.Bit

// Costs of words.
const (
	caseChange  = 5 * bit // a capital letter after a small one
	capitalized = 2 * bit // a word with a capital letter
	inWord      = 6 * bit // a sign next to a letter, on either side
	undefined   = 24 * bit
)

// word is a run of letters, or of other characters, of a decoded text.
type word struct {
	runes   []rune // in lower case, if letters
	letters bool
	shape   int // the cost of its capital letters and of its place between other words
}

// split returns the words of a decoded text. Spaces, digits and ASCII signs are not words.
func split(text []rune) []word {
	var words []word
	for at := 0; at < len(text); {
		r := text[at]
		if r <= ' ' || r < 0x80 && !isASCIILetter(r) {
			at++
			continue
		}
		letter := isLetter(r)
		end := at + 1
		for end < len(text) && text[end] > ' ' && isLetter(text[end]) == letter && (letter || text[end] >= 0x80) {
			end++
		}
		words = append(words, newWord(text, at, end, letter))
		at = end
	}
	return words
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func isLetter(r rune) bool {
	if r < 0x80 {
		return isASCIILetter(r)
	}
	return r != 'ª' && r != 'º' && r != 'µ' && (unicode.IsLetter(r) || unicode.IsMark(r))
}

func newWord(text []rune, at, end int, letter bool) word {
	w := word{runes: make([]rune, 0, end-at), letters: letter}
	for i, r := range text[at:end] {
		if letter && unicode.IsUpper(r) {
			switch {
			case i == 0:
				w.shape += capitalized
			case !unicode.IsUpper(text[at+i-1]):
				w.shape += caseChange
			default:
				w.shape += bit / 2
			}
			r = unicode.ToLower(r)
		} else if letter && i > 1 && unicode.IsLower(r) && unicode.IsUpper(text[at+i-1]) {
			w.shape += caseChange // "PEtER"
		}
		if n := len(w.runes); n >= 2 && r < 0x80 && w.runes[n-1] == r && w.runes[n-2] == r {
			continue // letters repeated in a line or in a cry tell no languages apart
		}
		w.runes = append(w.runes, r)
	}
	if !letter {
		if at > 0 && isLetter(text[at-1]) && !joins(text[at]) && !ends[text[at]] {
			w.shape += inWord
		}
		if end < len(text) && isLetter(text[end]) && !joins(text[end-1]) && !begins[text[end-1]] {
			w.shape += inWord
		}
	}
	return w
}

// joins reports whether a sign is usual between two letters.
func joins(r rune) bool {
	return r == 0x2019 || r == 0xB7 || r == 0x2010 || r == 0x2013 || r == 0x2014 || r == 0xAD || r == 0x200C || r == 0x200D || r >= 0x2E80
}

// cost returns the cost of a text in a language, in eighths of a bit.
func cost(l *letters.Language, words []word) int {
	sum := 0
	for _, w := range words {
		sum += w.shape
		if w.letters {
			sum += l.Pairs(w.runes)
			continue
		}
		var before rune
		for _, r := range w.runes {
			sum += signCost(r, before)
			before = r
		}
	}
	return sum
}

// signCost returns the cost of a character that is no letter and not ASCII.
func signCost(r, before rune) int {
	switch {
	case r == unicode.ReplacementChar:
		return undefined
	case r < 0xA0, r >= 0xE000 && r < 0xF900: // control characters, private use
		return 22 * bit
	case r >= 0x2500 && r < 0x25A0: // box drawing
		switch {
		case r == before:
			return 3 * bit
		case before >= 0x2500 && before < 0x25A0: // a corner; Russian in KOI8 is a sequence of them
			return 8 * bit
		}
		return 14 * bit
	case r == before:
		return 5 * bit
	case r == '¤' || r == '¦' || r == '¬' || r == 'ª' || r == 'º':
		return 14 * bit
	case usual[r]:
		return 9 * bit
	case r >= 0x3000 && r < 0x3040, r >= 0xFF00 && r < 0xFF60:
		return 7 * bit
	case r < 0x100, r >= 0x2010 && r < 0x2040, r == 0x20AC, r == 0x2116, r == 0x2122:
		return 11 * bit
	}
	return 16 * bit
}

var begins, ends = set("“„‘‚«»¿¡(©§\u00A0…€£µ"), set("”“’‘«»…®™°\u00A0€ºª²³")

func set(text string) map[rune]bool {
	signs := map[rune]bool{}
	for _, r := range text {
		signs[r] = true
	}
	return signs
}

// usual contains the signs that are found in many texts.
var usual = set("\u00A0“”‘’„–—…«»°§•€µ")

// noCost is the cost of a text that an encoding cannot have produced.
const noCost = math.MaxInt / 2
