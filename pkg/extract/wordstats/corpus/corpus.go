// Package corpus generates texts for tests and benchmarks of word counting. Its output depends only
// on the seed and the size. The texts differ in what limits the speed of counting.
package corpus

import (
	"bytes"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"unicode"
)

// zipf draws ranks below n. The probability of a rank is proportional to 1/(rank+2.7)^s
// (Zipf-Mandelbrot).
type zipf struct {
	rng        *rand.Rand
	cumulative []float64
}

func newZipf(rng *rand.Rand, n int, s float64) *zipf {
	z := &zipf{rng: rng, cumulative: make([]float64, n)}
	sum := 0.0
	for i := range z.cumulative {
		sum += math.Pow(float64(i)+2.7, -s)
		z.cumulative[i] = sum
	}
	return z
}

func (z *zipf) rank() int {
	last := len(z.cumulative) - 1
	return min(last, sort.SearchFloat64s(z.cumulative, z.rng.Float64()*z.cumulative[last]))
}

// spell builds the word for a rank from the alphabet. Frequent words are short.
func spell(rng *rand.Rand, alphabet []rune, rank int) string {
	length := 1 + rng.IntN(3) + int(math.Log2(float64(rank)/4+2)/1.7)
	var b strings.Builder
	for range length {
		b.WriteRune(alphabet[int(math.Abs(rng.NormFloat64())*float64(len(alphabet))/3)%len(alphabet)])
	}
	return b.String()
}

// write generates a text from the words of a vocabulary, with punctuation and capitals.
func write(rng *rand.Rand, size int, vocabulary []string, s float64, space string) []byte {
	z := newZipf(rng, len(vocabulary), s)
	var b bytes.Buffer
	line := 0
	for b.Len() < size {
		word := vocabulary[z.rank()]
		if rng.IntN(12) == 0 {
			first := []rune(word)
			first[0] = unicode.ToUpper(first[0])
			word = string(first)
		}
		b.WriteString(word)
		switch k := rng.IntN(60); {
		case k < 5:
			b.WriteString(", ")
		case k < 8:
			b.WriteString(". ")
		case k == 8:
			b.WriteString("’s ")
		case k == 9:
			b.WriteString("-")
		default:
			b.WriteString(space)
		}
		if b.Len() > line+75 {
			b.WriteByte('\n')
			line = b.Len()
		}
	}
	return b.Bytes()
}

func vocabularyOf(rng *rand.Rand, alphabet string, n int) []string {
	letters := []rune(alphabet)
	words := make([]string, n)
	for i := range words {
		words[i] = spell(rng, letters, i)
	}
	return words
}

const latin = "etaoinshrdlucmfwypvbgkjqxz"

// English returns an ASCII text with 13,000 distinct words, for which scanning limits the speed. It
// has size bytes, or up to a word more.
func English(seed uint64, size int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	return bytes.ReplaceAll(write(rng, size, vocabularyOf(rng, latin, 13_000), 1, " "), []byte("’"), []byte("'"))
}

// ManyWords returns a text of 2,000,000 distinct words of ASCII letters, for which the caches limit
// the speed. It has size bytes, or up to a word more.
func ManyWords(seed uint64, size int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	return write(rng, size, vocabularyOf(rng, latin, 2_000_000), 1.05, " ")
}

// Multilingual returns paragraphs in ten scripts, each with 20,000 distinct words, for which the
// segmentation rules of Unicode limit the speed. It has about size bytes.
func Multilingual(seed uint64, size int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	var texts [][]byte
	for _, script := range []struct{ alphabet, space string }{
		{latin, " "},
		{"enisratdhulcgmobwfkzvüpäößjéèàçñ", " "},
		{"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", " "},
		{"αοιετνσρηπκμλυςγθδχωάίόέφβξζψ", " "},
		{"اليمنترودبهعسفكقحشجذخصىئءزطضغثةظؤآ", " "},
		{"יולהאמרתבנשעדחכקפגסצזטםןךףץ", " "},
		{"कातेरनसहिमलीपयकीगदवबजोंचथैणुूडभशउ", " "},
		{"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生", ""},
		{"のにはをたがでてとしれさいるなもアイウカクスストンー日本語人", ""},
		{"이다는을가의고에하지로서기한도시사리자나어", " "},
	} {
		texts = append(texts, write(rng, size/10, vocabularyOf(rng, script.alphabet, 20_000), 1, script.space))
	}
	var paragraphs [][]byte
	for _, text := range texts {
		paragraphs = append(paragraphs, bytes.SplitAfter(text, []byte("\n"))...)
	}
	rng.Shuffle(len(paragraphs), func(i, j int) { paragraphs[i], paragraphs[j] = paragraphs[j], paragraphs[i] })
	return bytes.Join(paragraphs, nil)
}
