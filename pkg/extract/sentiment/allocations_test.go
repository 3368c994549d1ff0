//go:build !race

// With the race detector, sync.Pool randomly drops values.

package sentiment_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract/sentiment"
)

func TestScoreDoesNotAllocate(t *testing.T) {
	a := sentiment.New()
	for _, test := range benchmarkTexts {
		a.Score(test.text)
		if n := testing.AllocsPerRun(1000, func() { a.Score(test.text) }); n >= 1 {
			t.Errorf("%s: got %v allocations per text, want less than 1", test.name, n)
		}
	}
}
