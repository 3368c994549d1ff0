package sentiment

import (
	"bytes"
	"math"
	"sync"
)

// Version changes whenever the score of any text changes.
const Version = "v1.3.0"

// Analyzer scores texts. It is immutable and safe for concurrent use.
type Analyzer struct {
	words    *dictionary
	emoji    *emoji
	classes  classes
	readings sync.Pool // holds *reading
}

// New returns an analyzer with the embedded lexicon. It takes a few milliseconds and
// allocates half a megabyte; callers should create one analyzer and reuse it.
func New() *Analyzer {
	a := &Analyzer{words: newDictionary(), emoji: newEmoji(), classes: newClasses()}
	a.readings.New = func() any { return new(reading) }
	return a
}

// Polarity is the sentiment of a text, rounded as in the reference implementation. The zero value
// is the polarity of a text without words.
type Polarity struct {
	// Positive, Neutral and Negative are the shares of the text, from 0 to 1, rounded to 3
	// decimals. They add up to 1 except for rounding.
	Positive, Neutral, Negative float64
	// Compound is the overall sentiment, from -1 to 1, rounded to 4 decimals.
	Compound float64
}

// maxKept is the maximum length of a text whose buffers are reused, in bytes.
const maxKept = 64 << 10

// Score returns the sentiment of the text. Invalid UTF-8 bytes count as neutral characters. For
// texts of up to 64 KiB, Score allocates memory only if it has not scored a text of at least the same length.
func (a *Analyzer) Score(text string) Polarity { return a.score(text, true) }

// score implements Score. With quotes false, it behaves exactly like the reference implementation,
// which treats typographic quotation marks as letters.
func (a *Analyzer) score(text string, quotes bool) Polarity {
	r := a.readings.Get().(*reading)
	a.read(r, text, quotes)
	r.weigh()
	p := r.polarity()
	if len(r.text) <= maxKept {
		a.readings.Put(r)
	}
	return p
}

// polarity computes the polarity from the valences.
func (r *reading) polarity() Polarity {
	if len(r.tokens) == 0 {
		return Polarity{}
	}
	var sum, positive, negative float64
	for _, v := range r.valences {
		sum += v
		// Words without a valence count as 1 each, so 1 is added to the others.
		if v > 0 {
			positive += v + 1
		} else {
			negative += v - 1
		}
	}
	neutral := float64(len(r.tokens) - len(r.valences))
	emphasis := punctuationEmphasis(r.text)
	switch {
	case sum > 0:
		sum += emphasis
	case sum < 0:
		sum -= emphasis
	}
	switch {
	case positive > -negative:
		positive += emphasis
	case positive < -negative:
		negative -= emphasis
	}
	const alpha = 15 // approximately the largest expected sum, squared
	total := positive - negative + neutral
	return Polarity{
		Positive: round(positive/total, 1e3),
		Neutral:  round(neutral/total, 1e3),
		Negative: round(math.Abs(negative)/total, 1e3),
		Compound: round(sum/math.Sqrt(float64(sum*sum)+alpha), 1e4),
	}
}

// punctuationEmphasis returns the amount that exclamation and question marks add to the magnitude
// of the sum.
func punctuationEmphasis(text []byte) float64 {
	exclamations := min(bytes.Count(text, []byte("!")), 4)
	emphasis := float64(float64(exclamations) * 0.292)
	switch questions := bytes.Count(text, []byte("?")); {
	case questions > 3:
		emphasis += 0.96
	case questions > 1:
		emphasis += float64(float64(questions) * 0.18)
	}
	return emphasis
}

// round returns x rounded to a multiple of 1/scale, where scale is a power of ten. Like Python's
// round, it uses the exact binary value and rounds half to even.
func round(x, scale float64) float64 {
	scaled := float64(x * scale)
	n := math.RoundToEven(scaled)
	if rest := math.Abs(scaled - math.Trunc(scaled)); rest == 0.5 {
		// The product may have been rounded to a tie although x is not one.
		switch lost := math.FMA(x, scale, -scaled); {
		case lost > 0:
			n = math.Ceil(scaled)
		case lost < 0:
			n = math.Floor(scaled)
		}
	}
	if n == 0 {
		return 0 // not -0
	}
	return n / scale
}
