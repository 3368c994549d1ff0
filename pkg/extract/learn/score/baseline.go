package score

import (
	"context"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Baseline returns a learner named baseline that ignores the features: its models predict the mean of the values that they
// learn from, which for Classification is the share of the value 1. It returns [ErrRows] if there are no rows.
func Baseline() learn.Learner {
	return learn.Learner{Name: "baseline", Fit: func(_ context.Context, d learn.Data, rows []int) (learn.Predictor, error) {
		if len(rows) == 0 {
			return nil, ErrRows
		}
		sum := 0.0
		for _, row := range rows {
			sum += d.Y[row]
		}
		return constant{sum / float64(len(rows)), d.X.Columns}, nil
	}}
}

// constant predicts the same value for all rows.
type constant struct {
	value    float64
	features int
}

func (c constant) Predict([]float64) float64 { return c.value }

func (c constant) Importance() []float64 { return make([]float64, c.features) }
