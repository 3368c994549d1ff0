package charset

import (
	"unicode"

	utf "golang.org/x/text/encoding/unicode"

	"github.com/assay-project/assay/pkg/extract/letters"
)

// UTF16 returns the byte order of a text in UTF-16 without a byte order mark, given its first bytes. It
// returns false if they are not the start of such a text.
func UTF16(head []byte) (Charset, bool) {
	var found Charset
	least := maxUTF16
	for _, c := range []Charset{
		{"utf-16le", utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)},
		{"utf-16be", utf.UTF16(utf.BigEndian, utf.IgnoreBOM)},
	} {
		text, err := c.Encoding.NewDecoder().Bytes(head[:len(head)&^1])
		if err != nil {
			continue
		}
		if cost := plainness([]rune(string(text))); cost < least {
			least, found = cost, c
		}
	}
	return found, least < maxUTF16
}

// The costs of a character from which bytes are not taken for UTF-16. Chinese and Japanese characters cost more than
// letters.
const (
	maxUTF16  = 14 * bit
	maxLetter = 10 * bit

	fewestUTF16 = 4 // letters and signs below which a text is not judged
)

// plainness returns the mean cost of the characters of a text in the language that fits best, or noCost if it
// contains characters that texts do not contain.
func plainness(text []rune) int {
	if len(text) > 0 && text[len(text)-1] == unicode.ReplacementChar {
		text = text[:len(text)-1] // a character that the end cuts
	}
	if len(text) < 2 {
		return noCost
	}
	for _, r := range text {
		if r == 0 || r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Co, r) || !unicode.IsGraphic(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) {
			return noCost
		}
	}
	words, least, size, signs := split(text), noCost, 0, 0
	for _, w := range words {
		size += len(w.runes)
		for _, r := range w.runes {
			if r >= 0x2E80 {
				signs++
			}
		}
	}
	if size < fewestUTF16 {
		return noCost
	}
	for _, l := range letters.All() {
		least = min(least, cost(l, words))
	}
	if mean := least / size; mean < maxLetter || 2*signs > size {
		return mean
	}
	return noCost
}
