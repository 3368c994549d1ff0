package wordstats

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/pkg/extract/wordstats/corpus"
	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// samples contains texts in many scripts and with various structures.
var samples = []string{
	"Hello, world! Don't stop-me now: it's 3.14, or 1,234.5; a_b _c_ d_ __ e'f g' 'h i.j k. .l m:n o;p 7;8 9'0 x.1 2.y",
	"one\r\ntwo\rthree\nfour\vfive\fsix\u0085seven\u2028eight  nine\u3000ten\u00A0eleven",
	"Größe naïve Ærøskøbing ẞtraße ǅungla Ǆ ﬀ K Å Ω Ⱥ ıI İstanbul DİYARBAKIR",
	"Москва — столица. Ёлка, ЁЛКА; Київ, з’їзд, Ђорђе",
	"ΟΔΥΣΣΕΥΣ Ὀδυσσεύς ΣΑΣ ΑΣ. Σ Σ' ΑΣ'Α ΑΣ\u0301 ΑΣ\u00ADΒ Α.Σ. ᾼ ΐ",
	"مرحبا بالعالم، كِتَابٌ ١٢٣٫٤٥ ١٬٢٣٤ سلام\u200Cها",
	"שלום עולם צה\"ל ג'ירף ג' א\"ב\" א'ב א'1 א\"1 א\u0301\"ב",
	"नमस्ते दुनिया क्षत्रिय १२३.४५ हिन्\u200Dदी",
	"สวัสดีชาวโลก กำแพง ๑๒๓",
	"你好，世界。日本語のテキスト、カタカナ・ｶﾀｶﾅﾞ コーヒー ア_イ _ア 𠮷野家 々",
	"안녕하세요 세계 한글 ㅎㅏㄴ",
	"👍 👩‍👩‍👧‍👦 🇩🇪🇫🇷🇮🇹 🇩\u200D🇪 a\u200D❤️b 1️⃣ #️⃣ Ⓜ️ \u200DⓂ x\u200DⓂ ℹ 🅰🅱 👋🏽hi \u200D😀",
	"e\u0301te\u0301 a\u0308\u0323b \u0301x \r\u0301y \u200By c\uFEFFd z\U000E0041w a.\u0301b a\u0301.\u00ADb 1\u0301,\u200D2 1,\u0301a",
	"!ﾞ \uFF9E .ﾟa a.ﾞ a.ﾞb 🇦ﾞ \x00ﾞ  ﾞ \x7Fﾞ \r\nﾞ",
	"a\xFFb \xC3 \xC3\x28 \xE2\x82 x\xF0\x9F\x98y \xED\xA0\x80z \xC0\xAF q\x80\u0301 \xFFﾞ \uFFFDﾞ \xC1\xA1 \xE0\x81\xA1 \xED\xA0\x80ﾞ \uFFFD",
	"𝐀𝐁𝟏𝟐 𐐀𐐨 ꭰᏸ Ა ა ⅷⅧ Ⓐⓐ ½ ² ˂ ˂a ℵ ª",
	strings.Repeat("_", 20) + " " + strings.Repeat("ab_", 20) + " " + strings.Repeat("x'", 30) + strings.Repeat(" ", 40) + "end",
}

func TestEverySplit(t *testing.T) {
	for _, text := range append([]string{strings.Join(samples, " "), strings.Join(samples, "")}, samples...) {
		want := oracle(text)
		whole, err := Count(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, text, whole, want, "count")
		for cut := 1; cut < len(text); cut++ {
			mustEqual(t, text, countPieces(t, text, cut, len(text)), want, "count in two pieces")
		}
		for size := 1; size < 20; size++ {
			mustEqual(t, text, countPieces(t, text, size), want, "count in pieces")
		}
	}
}

func TestBufferBoundaries(t *testing.T) {
	text := strings.Join(samples, " ")
	for shift := 0; shift < 300; shift += 7 {
		padded := strings.Repeat("pad ", (simd.BufferSize-len(text)+shift)/4) + strings.Repeat("x", shift%4) + " " + text
		got, err := Count(iotest.HalfReader(strings.NewReader(padded)))
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, text, got, oracle(padded), "count at a buffer boundary")
	}
}

// TestCorpora compares counts of texts that have more words than fit into one batch with the
// oracle.
func TestCorpora(t *testing.T) {
	for name, text := range map[string][]byte{
		"English": corpus.English(11, 100_000), "ManyWords": corpus.ManyWords(12, 100_000), "Multilingual": corpus.Multilingual(13, 200_000),
	} {
		want := oracle(string(text))
		c := newCounter()
		for _, c.kernel = range simd.Kernels() {
			c.reset(Limits{})
			if err := c.countFrom(bytes.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			mustEqual(t, name, c.vocabulary.statistics(), want, c.kernel.Name+" kernel: count")
		}
	}
}

// TestSeededRun compares counts of random texts with the oracle. The texts are built from pieces that
// the rules treat differently.
func TestSeededRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(2026, 11))
	pieces := strings.Split(strings.Join(samples, " "), "")
	pieces = append(pieces, " ", " ", " ", "\r\n", ".", ",", ":", ";", "'", "\"", "_", "-", "ﾞ", "\u200D", "\u0301", "\xC3", "\xE2\x82", "\xFF", "Σ", "İ", "a", "b", "B", "1", "the", "The", "International", "א", "ア", "🇦")
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(200) {
			switch rng.IntN(40) {
			case 0:
				b.WriteString(samples[rng.IntN(len(samples))])
			case 1:
				b.WriteString(strings.Repeat(pieces[rng.IntN(len(pieces))], rng.IntN(100)))
			default:
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
		}
		text := b.String()
		got := countPieces(t, text, 1+rng.IntN(100), 1+rng.IntN(1000))
		mustEqual(t, text, got, oracle(text), "count in random pieces")
	}
}

// TestSeededASCII compares counts of texts with similar words, of all lengths around the table
// thresholds, with the oracle.
func TestSeededASCII(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 8))
	for range 1000 {
		var b strings.Builder
		letters := "aAb01_'."[:2+rng.IntN(7)]
		for range 1 + rng.IntN(300) {
			var word strings.Builder
			for range 1 + rng.IntN(8) {
				word.WriteByte(letters[rng.IntN(len(letters))])
			}
			b.WriteString(strings.Repeat(word.String(), 1+rng.IntN(3)))
			b.WriteString([]string{" ", " ", " ", "\n", "-", ", ", "  "}[rng.IntN(7)])
		}
		text := b.String()
		want := oracle(text)
		mustEqual(t, text, countPieces(t, text, len(text)), want, "count")
		mustEqual(t, text, countPieces(t, text, 1+rng.IntN(1000)), want, "count in pieces")
	}
}

func FuzzCount(f *testing.F) {
	for _, text := range samples {
		f.Add(text, uint16(7), uint16(3))
	}
	f.Add("000000000000000 A0A0A0A0A0A0A0A0", uint16(60), uint16(2)) // two equal halves
	f.Fuzz(func(t *testing.T, text string, first, second uint16) {
		want := oracle(text)
		whole, err := Count(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, text, whole, want, "count")
		mustEqual(t, text, countPieces(t, text, int(first), int(second)), want, "count in pieces")
	})
}
