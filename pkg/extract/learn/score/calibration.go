package score

import (
	"math"
	"slices"
)

// Bin are rows with similar predicted probabilities.
type Bin struct {
	From      float64 `json:"from"` // above this probability, or from 0
	To        float64 `json:"to"`   // up to this probability
	Rows      int     `json:"rows"`
	Predicted float64 `json:"predicted"` // mean predicted probability
	Observed  float64 `json:"observed"`  // share of rows with the value 1
}

// Calibration compares predicted probabilities with the values in n bins of the same width. Bins without rows are left out. It
// returns [ErrRows] or [ErrNumber] if the arguments are invalid.
func Calibration(y, predicted []float64, n int) ([]Bin, error) {
	if err := check(y, predicted); err != nil {
		return nil, err
	}
	bins := make([]Bin, max(n, 1))
	for i := range bins {
		bins[i].From, bins[i].To = float64(i)/float64(len(bins)), float64(i+1)/float64(len(bins))
	}
	for i, p := range predicted {
		if p < 0 || p > 1 {
			return nil, ErrNumber
		}
		b := &bins[max(int(math.Ceil(float64(p*float64(len(bins)))))-1, 0)]
		b.Rows++
		b.Predicted += p
		b.Observed += y[i]
	}
	bins = slices.DeleteFunc(bins, func(b Bin) bool { return b.Rows == 0 })
	for i := range bins {
		bins[i].Predicted /= float64(bins[i].Rows)
		bins[i].Observed /= float64(bins[i].Rows)
	}
	return bins, nil
}

// HalfWidth returns the half width of the interval around a prediction that contains the value with the probability coverage,
// such as 0.9: a quantile of the amounts of the errors of held-out predictions, in the unit of the values, as split conformal
// prediction computes it. With rows that are exchangeable, the probability is at least coverage, whatever the number of rows.
// Between 0 and 1 exclusively, coverage needs at least coverage/(1-coverage) rows, 9 for 0.9; HalfWidth returns [ErrFew]
// if there are fewer.
func HalfWidth(errors []float64, coverage float64) (float64, error) {
	amounts := make([]float64, len(errors))
	for i, e := range errors {
		amounts[i] = math.Abs(e)
		if e-e != 0 {
			return 0, ErrNumber
		}
	}
	slices.Sort(amounts)
	// Rounding of coverage must not add a row.
	rank := math.Ceil(float64(float64(len(amounts)+1)*coverage) - 1e-9)
	if !(rank >= 1 && rank <= float64(len(amounts))) {
		return 0, ErrFew
	}
	return amounts[int(rank)-1], nil
}
