package sentiment_test

import (
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/sentiment"
)

func FuzzScore(f *testing.F) {
	for _, test := range benchmarkTexts {
		f.Add(test.text)
	}
	f.Add("")
	f.Add("not the SHIT but\u00a0kind of\x00good\xff\u212aind ??")
	a := sentiment.New()
	f.Fuzz(func(t *testing.T, text string) {
		p := a.Score(text)
		if !(p.Compound >= -1 && p.Compound <= 1) || math.Signbit(p.Compound) && p.Compound == 0 {
			t.Errorf("got compound %v, want -1 to 1, and 0 without a sign", p.Compound)
		}
		for _, share := range []float64{p.Positive, p.Neutral, p.Negative} {
			if !(share >= 0 && share <= 1) || math.Signbit(share) {
				t.Errorf("got share %v of %+v, want 0 to 1", share, p)
			}
		}
		// three roundings of at most 0.0005 each
		if sum := p.Positive + p.Neutral + p.Negative; math.Abs(sum-1) > 0.0015+1e-9 && p != (sentiment.Polarity{}) {
			t.Errorf("shares of %+v add up to %v, want 1", p, sum)
		}
		if _, confidence := sentiment.Classify(p); !(confidence >= 0.525 && confidence <= 1) {
			t.Errorf("got confidence %v in the label of %+v, want 0.525 to 1", confidence, p)
		}
		if again := a.Score(text); again != p {
			t.Errorf("second score = %+v, want %+v as the first", again, p)
		}
	})
}
