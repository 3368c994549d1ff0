package wordstats

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/services/analyzer/wordstats/corpus"
)

func TestParallelCountsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var mixed strings.Builder
	for mixed.Len() < 3*pieceSize {
		mixed.WriteString(samples[rng.IntN(len(samples))])
		mixed.WriteString([]string{" ", "\n", "\n\u0301", "  ", " ﾞ", ""}[rng.IntN(6)])
	}
	texts := map[string]string{
		"empty":                      "",
		"one word":                   "word",
		"mixed":                      mixed.String(),
		"no place to cut":            strings.Repeat("你好，", pieceSize/4),
		"one long word":              strings.Repeat("a.", 2*pieceSize) + " end",
		"no place at first and last": strings.Repeat("好", pieceSize) + strings.Repeat("some words ", pieceSize/5) + strings.Repeat("好", pieceSize),
		"marks after every space":    strings.Repeat("a \u0301", pieceSize),
	}
	for name, text := range texts {
		want, err := Count(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, counters := range []int{1, 2, 3} {
			got, err := Limits{}.CountParallel(iotest.HalfReader(strings.NewReader(text)), counters)
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, text, got, want, name+" in parallel")
		}
		mustEqual(t, text, want, oracle(text), name)
	}
}

func TestParallelFailures(t *testing.T) {
	broken := errors.New("connection lost")
	if _, err := (Limits{}).CountParallel(&failing{left: 3 * pieceSize, err: broken}, 2); !errors.Is(err, broken) {
		t.Errorf("reader: %v", err)
	}
	text := string(corpus.English(5, 8*pieceSize))
	_, err := Limits{UniqueWords: 100}.CountParallel(strings.NewReader(text), 3)
	if _, ok := errors.AsType[*VocabularyError](err); !ok {
		t.Errorf("limit of each: %v", err)
	}
	// Each half is within the limit, and only the whole is not.
	halves := "a b c " + strings.Repeat(" ", 2*pieceSize) + "\nd e f"
	if _, err := (Limits{UniqueWords: 5}).CountParallel(strings.NewReader(halves), 2); err == nil {
		t.Error("limit of the whole: no error")
	}
	if _, err := (Limits{UniqueWords: 6}).CountParallel(strings.NewReader(halves), 2); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}
