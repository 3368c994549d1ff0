//go:build unix

package wordstats

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// rival is another way to count words. It returns how many there are.
type rival struct {
	name  string
	count func(text []byte) int64
}

var rivals = []rival{
	{"uax29", countByLibrary},
	{"scanwords", countByScanner},
}

// countByLibrary counts by the same definition: segments of a library, lower case
// of a library, a map.
func countByLibrary(text []byte) int64 {
	counts := map[string]*int64{}
	lower := cases.Lower(language.Und)
	total, codePoints := int64(0), 0
	for segments := words.FromBytes(text); segments.Next(); {
		word := segments.Value()
		if !bytes.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			continue
		}
		folded := lower.Bytes(word)
		total++
		codePoints += utf8.RuneCount(folded)
		if count, ok := counts[string(folded)]; ok {
			*count++
			continue
		}
		one := int64(1)
		counts[string(folded)] = &one
	}
	return total
}

// countByScanner is the usual short program: what is between spaces, and a map.
func countByScanner(text []byte) int64 {
	counts := map[string]int{}
	total := int64(0)
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Split(bufio.ScanWords)
	for s.Scan() {
		counts[strings.ToLower(s.Text())]++
		total++
	}
	return total
}

// processorSeconds is the processor time of this process so far.
func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// BenchmarkRatios counts each corpus by Count and by its rivals in turn, and
// reports how many times the processor time of Count each of them took: the median
// of the rounds, of which -benchtime=5x makes five. It gives no verdict on a rival
// whose own time varies by more than 1.25.
func BenchmarkRatios(b *testing.B) {
	for _, c := range corpora() {
		b.Run(c.name, func(b *testing.B) {
			text := c.text()
			b.Logf("%d bytes, SHA-256 %x, kernel %s", len(text), sha256.Sum256(text), fastestKernel().name)
			own, theirs := []float64{}, make([][]float64, len(rivals))
			measure := func(run func()) float64 {
				start := processorSeconds(b)
				run()
				return processorSeconds(b) - start
			}
			for b.Loop() {
				own = append(own, measure(func() {
					if _, err := Count(bytes.NewReader(text)); err != nil {
						b.Fatal(err)
					}
				}))
				for i, r := range rivals {
					theirs[i] = append(theirs[i], measure(func() { r.count(text) }))
				}
			}
			b.ReportMetric(float64(len(text))/median(own)/1e6, "MB/s")
			for i, r := range rivals {
				ratio := median(theirs[i]) / median(own)
				if spread := slices.Max(theirs[i]) / slices.Min(theirs[i]); spread > 1.25 {
					b.Logf("no verdict on %s: its own time varies by %.2f (the ratio would be %.1f)", r.name, spread, ratio)
					continue
				}
				b.ReportMetric(ratio, r.name+"/own")
			}
		})
	}
}

func BenchmarkSmallTexts(b *testing.B) {
	text := english(4, 2<<20)
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

// BenchmarkMemory reports what the tables take for a different word, beyond its own bytes.
func BenchmarkMemory(b *testing.B) {
	text := manyWords(3, 32<<20)
	for b.Loop() {
		c := newCounter()
		c.reset(Limits{})
		if err := c.countAll(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
		v := &c.vocabulary
		tables := 12*len(v.short.keys) + 20*len(v.middle.keys) + 16*len(v.long.slots)
		for _, block := range v.long.arena.blocks {
			tables += cap(block)
		}
		b.ReportMetric(float64(int64(tables)-v.bytes)/float64(v.unique()), "bytes/unique")
	}
}
