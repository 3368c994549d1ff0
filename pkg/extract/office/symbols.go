package office

import "strings"

// symbol returns the character of a symbol font as text, or "" if it is unknown. Characters of the private use area, from
// U+F000, are those of the font's own encoding.
func symbol(font string, code rune) string {
	if code < 0xe000 || code > 0xf8ff {
		return string(code)
	}
	code &= 0xff
	switch name := strings.ToLower(font); {
	case strings.HasPrefix(name, "symbol") && code >= symbolFirst && int(code-symbolFirst) < len(symbolFont):
		if r := symbolFont[code-symbolFirst]; r != '\uFFFD' {
			return string(r)
		}
	case strings.HasPrefix(name, "wingdings"):
		if r, ok := wingdings[code]; ok && name == "wingdings" {
			return string(r)
		}
	}
	return ""
}

const symbolFirst = 0x20

// symbolFont is the encoding of the font Symbol from 0x20 on, as in the table of Adobe that Unicode publishes.
var symbolFont = []rune(" !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\uFFFDαβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼" +
	strings.Repeat("\uFFFD", 0xa0-0x7f) +
	"€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…\uFFFD\uFFFD↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑" +
	strings.Repeat("\uFFFD", 0xf1-0xe6) + "〉∫")

// wingdings contains the characters of the font Wingdings that stand for themselves in texts.
var wingdings = map[rune]rune{
	0x21: '✏', 0x22: '✂', 0x28: '☎', 0x2a: '✉', 0x45: '☜', 0x46: '☞', 0x47: '☝', 0x48: '☟', 0x4a: '☺', 0x4c: '☹', 0x6c: '●', 0x6e: '■',
	0x6f: '□', 0x71: '❑', 0x75: '◆', 0x76: '❖', 0xa7: '▪', 0xa8: '◻', 0xab: '★', 0xd8: '➢', 0xdf: '←', 0xe0: '→', 0xe1: '↑', 0xe2: '↓',
	0xfb: '✗', 0xfc: '✓', 0xfd: '☒', 0xfe: '☑',
}
