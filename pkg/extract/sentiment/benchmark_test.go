package sentiment_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jonreiter/govader"

	"github.com/assay-project/assay/pkg/extract/sentiment"
)

// The texts were written for this benchmark: a headline, a post, a review.
var benchmarkTexts = []struct{ name, text string }{
	{"short", "The new harbour line is REALLY good, but the tickets are not cheap!!"},
	{"1KB", strings.Repeat("We took the early train and the staff were very friendly. "+
		"The seats looked worn, the window would not close and breakfast was kind of bad. "+
		"Still, it wasn't a horrible trip: the view over the bay is wonderful :) "+
		"I hate delays, yet nobody complained, and I would GLADLY go again!\n", 4)},
	{"emoji", "Finally home 😁 what a day 💔 never again 😡 thanks for nothing, “friends”…"},
}

func BenchmarkScore(b *testing.B) {
	a := sentiment.New()
	for _, test := range benchmarkTexts {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(test.text)))
			b.ReportAllocs()
			for b.Loop() {
				a.Score(test.text)
			}
		})
	}
}

// BenchmarkAgainstGovader scores each text with both packages in turn, and reports how many times
// faster this package is. It fails if the factor is less than 4.
func BenchmarkAgainstGovader(b *testing.B) {
	ours, theirs := sentiment.New(), govader.NewSentimentIntensityAnalyzer()
	for _, test := range benchmarkTexts {
		b.Run(test.name, func(b *testing.B) {
			var oursTook, theirsTook time.Duration
			for b.Loop() {
				start := time.Now()
				for range 100 {
					ours.Score(test.text)
				}
				between := time.Now()
				for range 100 {
					theirs.PolarityScores(test.text)
				}
				oursTook += between.Sub(start)
				theirsTook += time.Since(between)
			}
			faster := float64(theirsTook) / float64(oursTook)
			if faster < 4 {
				b.Errorf("%.1f times faster than govader, want at least 4", faster)
			}
			b.ReportMetric(faster, "times-faster")
			b.ReportMetric(float64(oursTook.Nanoseconds())/float64(b.N)/100, "ns/text")
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sentiment.New()
	}
}
