package sentiment_test

import (
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/sentiment"
)

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		compound   float64
		label      sentiment.Label
		confidence float64
	}{
		{1, sentiment.Positive, 1},
		{0.6, sentiment.Positive, 0.8},
		{0.0501, sentiment.Positive, 0.52505},
		{0.05, sentiment.Positive, 0.525},
		{0.0499, sentiment.Neutral, 0.52595},
		{0.02, sentiment.Neutral, 0.81},
		{0, sentiment.Neutral, 1},
		{-0.02, sentiment.Neutral, 0.81},
		{-0.0499, sentiment.Neutral, 0.52595},
		{-0.05, sentiment.Negative, 0.525},
		{-0.6, sentiment.Negative, 0.8},
		{-1, sentiment.Negative, 1},
	} {
		label, confidence := sentiment.Classify(sentiment.Polarity{Compound: test.compound})
		if label != test.label || confidence != test.confidence {
			t.Errorf("Classify(%v) = %s, %v, want %s, %v", test.compound, label, confidence, test.label, test.confidence)
		}
	}
}

// Confidence grows continuously with the distance from the threshold, on both sides of it and at
// every compound that Score can return.
func TestConfidenceIsMonotoneAndContinuous(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		last, step := 1.0, 0.00095 // at most 9.5 times the step of compound
		for n := 1; n <= 10000; n++ {
			c := float64(n) / 1e4
			label, confidence := sentiment.Classify(sentiment.Polarity{Compound: sign * c})
			if grows := confidence > last; grows != (n > 500) {
				t.Fatalf("confidence at compound %v is %v after %v, want it to grow with the distance from the threshold", sign*c, confidence, last)
			}
			if leap := math.Abs(confidence - last); leap > step+1e-12 || confidence < 0.525 || confidence > 1 {
				t.Fatalf("confidence at compound %v is %v after %v, want a continuous value from 0.525 to 1", sign*c, confidence, last)
			}
			if label != sentiment.Neutral && math.Abs(2*confidence-1-c) > 1e-12 {
				t.Fatalf("got confidence %v, want one from which compound %v can be computed", confidence, sign*c)
			}
			last = confidence
		}
	}
}
