package sentiment

import (
	"math/rand/v2"
	"strings"
)

// corpus generates texts that exercise every rule. The same seed produces the same texts: it uses only
// Uint64, whose results package math/rand/v2 guarantees for PCG.
type corpus struct {
	random *rand.PCG
	words  []string // words of the lexicon
	emoji  []string
}

func newCorpus(seed uint64) *corpus {
	return &corpus{random: rand.NewPCG(seed, 0), words: firstColumn(lexiconWords), emoji: firstColumn(lexiconEmoji)}
}

func firstColumn(table string) []string {
	var column []string
	for line := range strings.Lines(table) {
		first, _, _ := strings.Cut(line, "\t")
		column = append(column, first)
	}
	return column
}

// below returns a number from 0 to n-1.
func (c *corpus) below(n int) int { return int(c.random.Uint64() % uint64(n)) }

func (c *corpus) oneOf(choices []string) string { return choices[c.below(len(choices))] }

var (
	plainWords = strings.Fields(`the a an it they we station harbour ticket window Monday report
		train was is were has been to of with from about over in on at and this that i you
		Ok it's 42 3.14 3/4 e-mail x`)
	ruleWords = append(strings.Fields(termWords+boosters+" "+dampeners+" "+negations), strings.Fields(`
		never so this without doubt at least very least no no nor or but but kind of sort of just enough
		isn't don't wouldn't AIN'T can't,dude needn'T n't xn'tx uh-uh kind-of badass`)...)
	wholePhrases = []string{
		"the shit", "the bomb", "bad ass", "bus stop", "yeah right", "kiss of death", "to die for",
		"beating heart", "broken heart", "kind of", "sort of", "just enough", "never so", "never this",
		"without doubt", "without a doubt", "at least", "very least", "no good or bad", "upper hand",
		"cut the mustard", "under the weather", "not very", "hardly ever", "but",
	}
	repeatedWords = strings.Fields("good good bad great love hate fun awful nice happy sad :) :( lol 3 but")
	otherScripts  = []string{
		"ÉTÉ", "été", "Straße", "ẞ", "Дом", "ДОМ", "дом", "ΣΟΦΟΣ", "σοφός", "ǅ", "ǄA", "ª", "ⅷ", "Ⅷ", "Ⓐ", "ⓐ", "𝐀", "𝐚",
		"İ", "ı", "ᴬ", "漢字", "かな", "العربية", "हिन्दी", "ⴀ", "Ა", "ა", "Å", "ſ", "Ω",
	}
	letters = []string{
		"\u212a", "é", "Ü", "ß", "İ", "Σ", "ж", "Ж", "漢", "\u0301", "\u200d", "\ufe0f", "\u00ad", "“", "”", "’", "…", "—", "¡", "¿", "€", "\ufffd",
	}
	joinedEmoji = []string{"👩‍❤️‍👨", "👍🏽", "🇫🇷", "❤️", "1️⃣", "☺️", "🏴‍☠️", "👨‍👩‍👧", "⁉", "‼️", "©", "®️", "™", "💔", "💘", "🔛"}
	spaces      = []string{
		" ", " ", "  ", "\t", "\n", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "\u0085", "\u00a0", "\u1680",
		"\u2000", "\u2007", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u200b", "\ufeff", "\x00", "\u180e",
	}
	marks = []string{"!", "?", "!!", "??", "!!!", "???", "!!!!", "????", "!!!!!!", "?!?!?!", ".", ",", "...", ";", ":", "-", "'", "\"", "*", "_", "(", ")", "#", "@", "&", "/", "\\", "~", "^", "|", "<", ">"}
)

// word returns a word in a random spelling.
func (c *corpus) word() string {
	var w string
	switch c.below(9) {
	case 0, 1, 2:
		w = c.oneOf(c.words)
	case 3, 4:
		w = c.oneOf(plainWords)
	case 5, 6:
		w = c.oneOf(ruleWords)
	case 7:
		w = c.oneOf(wholePhrases)
	default:
		w = c.oneOf(repeatedWords)
	}
	switch c.below(8) {
	case 0:
		w = strings.ToUpper(w)
	case 1:
		w = strings.ToUpper(w[:1]) + w[1:]
	}
	return w
}

// text returns the i-th text.
func (c *corpus) text(i int) string {
	var b strings.Builder
	words := 1 + c.below(14)
	switch i % 100 {
	case 0:
		words = 0
	case 1:
		words = 200 + c.below(400)
	case 2:
		words = 60 + c.below(60)
	}
	kind := c.below(10)
	for range words {
		c.piece(&b, kind)
	}
	if c.below(3) == 0 {
		b.WriteString(c.oneOf(marks))
	}
	return b.String()
}

// piece writes a word and its context, depending on the kind of text.
func (c *corpus) piece(b *strings.Builder, kind int) {
	switch kind {
	case 0, 1: // sentences
		b.WriteString(c.word())
		if c.below(12) == 0 {
			b.WriteString(c.oneOf(marks))
		}
		b.WriteByte(' ')
	case 2: // modifiers near the words that they modify
		for range c.below(4) {
			b.WriteString(c.oneOf(ruleWords) + " ")
		}
		b.WriteString(c.oneOf(c.words) + " ")
	case 3: // phrases
		b.WriteString(c.oneOf(wholePhrases) + " " + c.word() + " ")
	case 4: // equal valences around "but"
		b.WriteString(c.oneOf(repeatedWords) + " ")
	case 5: // punctuation
		for range c.below(3) {
			b.WriteString(c.oneOf(marks))
		}
		b.WriteString(c.word())
		for range c.below(3) {
			b.WriteString(c.oneOf(marks))
		}
		b.WriteByte(' ')
	case 6: // emoji, with and without spaces
		b.WriteString(c.oneOf([]string{c.oneOf(c.emoji), c.oneOf(joinedEmoji), c.word(), c.word() + " "}))
		b.WriteString(c.oneOf([]string{"", " ", c.oneOf(marks)}))
	case 7: // other letters
		b.WriteString(c.oneOf([]string{c.oneOf(otherScripts), strings.ToUpper(c.word()), c.word(), c.kelvin(), c.word() + c.oneOf(letters)}) + " ")
	case 8: // white space and characters that look like it
		b.WriteString(c.word() + c.oneOf(spaces))
	default: // noise
		for range c.below(6) {
			b.WriteString(c.oneOf([]string{string(rune(c.below(128))), c.oneOf(letters), c.oneOf(marks), c.oneOf(spaces)}))
		}
		b.WriteString(c.word())
	}
}

// kelvin replaces every k in a word with the Kelvin sign.
func (c *corpus) kelvin() string {
	return strings.NewReplacer("k", "\u212a", "K", "\u212a").Replace(c.word())
}
