package wordstats

import (
	"math/big"
	"reflect"
	"sort"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// oracle counts a text in one step with the reference libraries and a map.
func oracle(text string) Statistics {
	text = string([]rune(text)) // each invalid byte as U+FFFD
	lower := cases.Lower(language.Und)
	counts := map[string]int64{}
	var total, codePoints int64
	for segments := words.FromString(text); segments.Next(); {
		word := segments.Value()
		if !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			continue
		}
		folded := lowerWhole(lower, word)
		counts[folded]++
		total++
		codePoints += int64(utf8.RuneCountInString(folded))
	}
	s := Statistics{TotalWords: total, UniqueWords: int64(len(counts)), Top10Words: []WordCount{}}
	for word, count := range counts {
		s.Top10Words = append(s.Top10Words, WordCount{word, count})
	}
	sort.Slice(s.Top10Words, func(i, j int) bool {
		a, b := s.Top10Words[i], s.Top10Words[j]
		if a.Count != b.Count {
			return a.Count > b.Count
		}
		return compareCodePoints(a.Word, b.Word) < 0
	})
	s.Top10Words = s.Top10Words[:min(10, len(s.Top10Words))]
	for i, w := range s.Top10Words {
		s.Top10Words[i].Word = display(w.Word)
	}
	if total > 0 {
		exact := big.NewRat(codePoints*100, total)
		exact.Add(exact, big.NewRat(1, 2))
		hundredths := new(big.Int).Div(exact.Num(), exact.Denom())
		s.AvgWordLength, _ = big.NewRat(hundredths.Int64(), 100).Float64()
	}
	return s
}

// lowerWhole lower-cases a word in one step. Caser.String processes a long word in several steps and
// does not remember that letters precede a final sigma.
func lowerWhole(lower cases.Caser, word string) string {
	folded := make([]byte, 3*len(word))
	n, _, err := lower.Transform(folded, []byte(word), true)
	if err != nil {
		panic(err)
	}
	return string(folded[:n])
}

// display shortens a word that is longer than maxWord.
func display(word string) string {
	if len(word) <= maxWord {
		return word
	}
	at := shownBytes - len(ellipsis)
	for !utf8.RuneStart(word[at]) {
		at--
	}
	return word[:at] + ellipsis
}

func compareCodePoints(a, b string) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return int(x[i] - y[i])
		}
	}
	return len(x) - len(y)
}

// countPieces counts a text that is read in pieces of the given sizes, used in turn.
func countPieces(t testing.TB, text string, sizes ...int) Statistics {
	t.Helper()
	c := counters.Get().(*counter)
	defer counters.Put(c)
	c.reset(Limits{})
	c.kernel = simd.Fastest()
	if len(text)%2 == 0 { // half of all texts use the portable kernel
		c.kernel = simd.Portable()
	}
	kept := 0
	for turn := 0; ; turn++ {
		n := min(max(1, sizes[turn%len(sizes)]), len(text), simd.BufferSize-kept)
		copy(c.buffer[kept:], text[:n])
		text = text[n:]
		done, err := c.scan(0, kept+n, text == "")
		if err != nil {
			t.Fatal(err)
		}
		kept = copy(c.buffer[:], c.buffer[done:kept+n])
		if text == "" {
			if kept > 0 {
				t.Fatalf("got unprocessed bytes %q at the end, want none", c.buffer[:kept])
			}
			return c.vocabulary.statistics()
		}
	}
}

// mustEqual compares the statistics of text with the oracle's; how describes how the text was
// counted.
func mustEqual(t testing.TB, text string, got, want Statistics, how string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s of %.300q:\n got %+v\nwant %+v", how, text, got, want)
	}
}
