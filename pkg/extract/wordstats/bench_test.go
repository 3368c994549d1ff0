package wordstats

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wordstats/corpus"
)

func BenchmarkSmallTexts(b *testing.B) {
	text := corpus.English(4, 2<<20)
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			r := bytes.NewReader(text[:size])
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := r.Seek(0, io.SeekStart); err != nil {
					b.Fatal(err)
				}
				if _, err := Count(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMemory reports the memory that the tables need per distinct word, without the bytes of
// the word.
func BenchmarkMemory(b *testing.B) {
	text := corpus.ManyWords(3, 32<<20)
	for b.Loop() {
		c := newCounter()
		c.reset(Limits{})
		if err := c.countFrom(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
		v := &c.vocabulary
		b.ReportMetric(float64(v.memory()-v.bytes)/float64(v.unique()), "bytes/unique")
	}
}
