package sentiment_test

import (
	"math"
	"testing"

	"github.com/assay-project/assay/services/analyzer/feed/sentiment"
)

func FuzzScore(f *testing.F) {
	for _, of := range benchmarkTexts {
		f.Add(of.text)
	}
	f.Add("")
	f.Add("not the SHIT but\u00a0kind of\x00good\xff\u212aind ??")
	a := sentiment.New()
	f.Fuzz(func(t *testing.T, text string) {
		p := a.Score(text)
		if !(p.Compound >= -1 && p.Compound <= 1) || math.Signbit(p.Compound) && p.Compound == 0 {
			t.Errorf("compound %v is out of range", p.Compound)
		}
		for _, share := range []float64{p.Positive, p.Neutral, p.Negative} {
			if !(share >= 0 && share <= 1) || math.Signbit(share) {
				t.Errorf("share %v of %+v is out of range", share, p)
			}
		}
		// three roundings of at most 0.0005 each
		if sum := p.Positive + p.Neutral + p.Negative; math.Abs(sum-1) > 0.0015+1e-9 && p != (sentiment.Polarity{}) {
			t.Errorf("shares of %+v add up to %v, want 1", p, sum)
		}
		if _, confidence := sentiment.Classify(p); !(confidence >= 0.525 && confidence <= 1) {
			t.Errorf("confidence %v in the label of %+v is out of range", confidence, p)
		}
		if again := a.Score(text); again != p {
			t.Errorf("got %+v, then %+v for the same text", p, again)
		}
	})
}
