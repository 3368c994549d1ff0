package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in the form used for sorting and comparison: with case folded (ß is ss), with compatibility characters
// replaced, without the marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters, and with Latin letters instead of their
// variants. Marks of other scripts, such as those of Thai, are letters and remain.
func Fold(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKD.String(text) {
		switch r = unicode.ToLower(r); {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case unicode.Is(dropped, r):
		case variants[r] != "":
			b.WriteString(variants[r])
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// dropped contains the nonspacing marks of the scripts whose words are usually written without them, and the tatweel, which
// only stretches Arabic words.
var dropped = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x0483, Hi: 0x0487, Stride: 1}, {Lo: 0x0591, Hi: 0x05bd, Stride: 1}, {Lo: 0x05bf, Hi: 0x05bf, Stride: 1},
	{Lo: 0x05c1, Hi: 0x05c2, Stride: 1}, {Lo: 0x05c4, Hi: 0x05c5, Stride: 1}, {Lo: 0x05c7, Hi: 0x05c7, Stride: 1}, {Lo: 0x0610, Hi: 0x061a, Stride: 1},
	{Lo: 0x0640, Hi: 0x0640, Stride: 1}, {Lo: 0x064b, Hi: 0x065f, Stride: 1}, {Lo: 0x0670, Hi: 0x0670, Stride: 1}, {Lo: 0x06d6, Hi: 0x06dc, Stride: 1},
	{Lo: 0x06df, Hi: 0x06e4, Stride: 1}, {Lo: 0x06e7, Hi: 0x06e8, Stride: 1}, {Lo: 0x06ea, Hi: 0x06ed, Stride: 1}, {Lo: 0x08d3, Hi: 0x08e1, Stride: 1},
	{Lo: 0x08e3, Hi: 0x08ff, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, {Lo: 0x1dc0, Hi: 0x1dff, Stride: 1}, {Lo: 0x20d0, Hi: 0x20f0, Stride: 1},
	{Lo: 0x2de0, Hi: 0x2dff, Stride: 1}, {Lo: 0xa66f, Hi: 0xa66f, Stride: 1}, {Lo: 0xa674, Hi: 0xa67d, Stride: 1}, {Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}}

// variants maps Latin letters without a decomposition to the letters of ASCII, as the transform Latin-ASCII of CLDR does, and the
// Greek final sigma to the sigma.
var variants = map[rune]string{
	'ß': "ss", 'ς': "σ",
	'æ': "ae", 'ð': "d", 'ø': "o", 'þ': "th", 'đ': "d", 'ħ': "h", 'ı': "i", 'ĸ': "q", 'ł': "l", 'ŋ': "n", 'œ': "oe", 'ŧ': "t", 'ƀ': "b",
	'ɓ': "b", 'ƃ': "b", 'ƈ': "c", 'ɖ': "d", 'ɗ': "d", 'ƌ': "d", 'ɛ': "e", 'ƒ': "f", 'ɠ': "g", 'ɨ': "i", 'ɩ': "i", 'ƙ': "k", 'ƚ': "l",
	'ɲ': "n", 'ƞ': "n", 'ɔ': "o", 'ɵ': "o", 'ƥ': "p", 'ʀ': "r", 'ƫ': "t", 'ƭ': "t", 'ʈ': "t", 'ʉ': "u", 'ʋ': "v", 'ƴ': "y", 'ƶ': "z",
	'ȡ': "d", 'ȴ': "l", 'ȵ': "n", 'ȶ': "t", 'ȷ': "j", 'ⱥ': "a", 'ȼ': "c", 'ɇ': "e", 'ɉ': "j", 'ɋ': "q", 'ɍ': "r", 'ɏ': "y", 'ⱦ': "t",
	'ɑ': "a", 'ɕ': "c", 'ɡ': "g", 'ɢ': "g", 'ɦ': "h", 'ɪ': "i", 'ɫ': "l", 'ɬ': "l", 'ɭ': "l", 'ɱ': "m", 'ɳ': "n", 'ɴ': "n", 'ɼ': "r",
	'ɽ': "r", 'ʂ': "s", 'ʏ': "y", 'ʐ': "z", 'ʑ': "z", 'ⱡ': "l", 'ⱨ': "h", 'ⱪ': "k", 'ⱬ': "z", 'ȿ': "s", 'ɀ': "z",
}
