package wordstats

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// TestLongWords counts words of lengths around the thresholds at which the stored form changes.
func TestLongWords(t *testing.T) {
	marks := strings.Repeat("\u0301", 3000)
	texts := []string{
		strings.Repeat("K", maxWord) + " " + strings.Repeat("k", maxWord) + " " + strings.Repeat("k", maxWord+1),
		strings.Repeat("Ⱥ", maxWord/3) + " " + strings.Repeat("ⱥ", maxWord/3) + " " + strings.Repeat("Ⱥ", maxWord/2) + " " + strings.Repeat("ⱥ", maxWord/2),
		strings.Repeat("Σ", maxWord/2) + " " + strings.Repeat("Σ", maxWord/2+1) + " " + strings.Repeat("σ", maxWord/2+1),
		strings.Repeat("Σ", 3000) + " " + strings.Repeat("σ", 2999) + "ς " + strings.Repeat("σ", 3000) + " " + strings.Repeat("σ", 30_000) + "Σ́",
		sigmas(2000, ".́", "a") + " " + sigmas(2000, "́", " ") + " " + sigmas(3000, strings.Repeat("́", 30), "Σ") + " " + sigmas(3000, strings.Repeat("́", 31), "Σ"),
		strings.Repeat("a", 2000) + "c " + strings.Repeat("a", 2000) + "b " + strings.Repeat("a", 2001) + " " + strings.Repeat("a", 2000) + " " + strings.Repeat("a", 300) + " " + strings.Repeat("a", 250) + "zz",
		strings.Repeat("é", 9000) + "c " + strings.Repeat("É", 9000) + "b " + strings.Repeat("é", 9000) + " " + strings.Repeat("É", 500),
		strings.Repeat("İ", 5000) + " " + strings.Repeat("İ", 300) + " " + strings.Repeat("i\u0307", 300),
		strings.Repeat("a", 100_000) + " " + strings.Repeat("A", 100_000) + " " + strings.Repeat("a", 100_001),
		strings.Repeat("x", 70_000) + "1 " + strings.Repeat("x", 70_000) + "2 " + strings.Repeat("é", 70_000),
		strings.Repeat(" ", 200_000) + "a" + strings.Repeat(" ", 5000) + "ﾞ" + strings.Repeat(" ", 5000) + "ﾞ",
		"ab." + marks + "c ab." + marks + "1 ab." + marks + "ﾞ ab." + marks + "\u200D😀 ab." + marks,
		"12," + marks + "3 12," + marks + "a א\"" + marks + "ב א\"" + marks + "b",
		strings.Repeat("a.", 10_000) + " " + strings.Repeat("a.", 10_000) + "b " + strings.Repeat("a'\u0301", 5000) + " x",
		strings.Repeat("a", 5000) + "." + marks + "1 " + strings.Repeat("a", 5000) + "." + marks + "a",
		strings.Repeat("_", 9000) + " " + strings.Repeat("_", 9000) + "a " + strings.Repeat("👩\u200D", 2000) + "👩 a",
		"\xFF" + strings.Repeat("\u0301", 5000) + "ﾞ \xFF" + strings.Repeat("\u0301", 5000) + "ﾞ" + strings.Repeat("\xFF", 9000),
		strings.Repeat("1", 4095) + " " + strings.Repeat("1", 4096) + " " + strings.Repeat("1", 4097) + " " + strings.Repeat("1", 4098) + "\xF0\x9F",
	}
	for _, text := range texts {
		want := oracle(text)
		got, err := Count(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, text, got, want, "count")
		for _, size := range []int{1000, 4095, 4096, 4097, 7001, 65536} {
			mustEqual(t, text, countPieces(t, text, size), want, "count in pieces")
		}
		for _, w := range got.Top10Words {
			if len(w.Word) > maxWord {
				t.Errorf("got a displayed word of %d bytes, want at most %d", len(w.Word), maxWord)
			}
		}
	}
}

// sigmas returns a word with capital sigmas, each followed by code points that the search for the
// end of a word ignores.
func sigmas(length int, ignored, next string) string {
	return strings.Repeat("α", length/2) + "Σ" + ignored + next + strings.Repeat("α", length/2) + "Σ" + ignored
}

// TestContextOfSigma compares, for each code point, the properties that determine the lower case of
// a sigma with the library.
func TestContextOfSigma(t *testing.T) {
	lower := cases.Lower(language.Und)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || r == 'Σ' || isUnassigned(r) && r%251 != 0 {
			continue
		}
		begins := strings.HasSuffix(lowerWhole(lower, string(r)+"Σ"), "ς")
		ends := strings.HasSuffix(lowerWhole(lower, "a"+string(r)+"Σ"), "σ")
		follows := strings.HasPrefix(lowerWhole(lower, "aΣ"+string(r)), "aσ")
		skipped := strings.HasPrefix(lowerWhole(lower, "aΣ"+string(r)+"a"), "aσ") && !follows
		c := contextOf(r)
		if begins != (c&cased != 0) || ends != (c == 0) || follows != (c == cased) || skipped != (c&ignorable != 0) {
			t.Fatalf("contextOf(%U) = %b, want that of the library: begins %t, ends %t, follows %t, skipped %t", r, c, begins, ends, follows, skipped)
		}
	}
}

// repeated is a reader that repeats a piece of text.
type repeated struct {
	piece string
	left  int64 // bytes
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.left > 0 {
		k := copy(p[n:min(len(p), n+int(min(r.left, 1<<20)))], r.piece[r.at:])
		n, r.left, r.at = n+k, r.left-int64(k), (r.at+k)%len(r.piece)
	}
	return n, nil
}

func TestMemoryGrowsWithVocabularyOnly(t *testing.T) {
	const size = 5 << 20
	for name, piece := range map[string]string{
		"one word":           "a",
		"only marks":         "\u0301",
		"open middles":       "a.\u0301",
		"spaces":             " ",
		"emoji and joiners":  "👩\u200D",
		"the same few words": "the quick brown fox. ",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Count(&repeated{piece: piece, left: size}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2<<20 && name != "open middles" {
			t.Errorf("%s: got %d bytes allocated for a text of %d, want at most %d", name, allocated, size, 2<<20)
		}
		if held := int64(after.HeapInuse) - int64(before.HeapInuse); held > 4<<20 {
			t.Errorf("%s: got %d bytes still allocated for a text of %d, want at most %d", name, held, size, 4<<20)
		}
	}
}
