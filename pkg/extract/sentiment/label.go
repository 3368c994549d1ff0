package sentiment

import "math"

// Label is the class of a text's sentiment.
type Label string

// The labels, by the thresholds of the paper.
const (
	Positive Label = "positive" // compound >= 0.05
	Neutral  Label = "neutral"
	Negative Label = "negative" // compound <= -0.05
)

// threshold is the smallest |compound| of a text that is not neutral.
const threshold = 0.05

// Classify returns the label and the confidence in it, from 0.525 to 1, rounded to 5 decimals.
//
// With c = |compound| the confidence is
//
//	positive, negative: (1 + c) / 2    0.525 at the threshold, 1 at the extreme
//	neutral:            1 - 9.5 c      1 at 0, toward 0.525 at the threshold
//
// The first formula is the usual linear mapping of compound to the range 0 to 1; compound can be
// computed exactly from its result. The second is the line that meets the first at the threshold:
// confidence is continuous in compound, lowest at the threshold, and grows with the distance from
// the threshold on both sides.
func Classify(p Polarity) (label Label, confidence float64) {
	c := math.Abs(p.Compound)
	switch {
	case c < threshold:
		return Neutral, round(1-float64(9.5*c), 1e5)
	case p.Compound > 0:
		label = Positive
	default:
		label = Negative
	}
	return label, round((1+c)/2, 1e5)
}
