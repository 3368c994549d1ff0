package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// FitRidge fits ridge regression to rows of d: it minimizes the sum of squared errors plus alpha times the sum of the squared
// coefficients of the standardized features. The penalty alpha is not negative; if it is 0 or tiny and features are linear
// combinations of others, FitRidge returns an error. It returns the cause of ctx if that is done.
//
// It needs memory for the products of the features, or of the rows if they are fewer: 4 bytes times the square of their
// number.
func FitRidge(ctx context.Context, d learn.Data, rows []int, alpha float64) (*Model, error) {
	return fitRidge(ctx, d, rows, alpha, new(cache))
}

// RidgeLearner returns a learner of [FitRidge].
func RidgeLearner(alpha float64) learn.Learner { return RidgeLearners(alpha)[0] }

// RidgeLearners returns learners of [FitRidge] that share the most expensive computation when they fit the same rows of the
// same data, which must not change meanwhile.
func RidgeLearners(alphas ...float64) []learn.Learner {
	shared, learners := new(cache), make([]learn.Learner, len(alphas))
	for i, alpha := range alphas {
		learners[i] = learn.Learner{
			Name: "ridge", Parameters: map[string]float64{"alpha": alpha},
			Fit: func(ctx context.Context, d learn.Data, rows []int) (learn.Predictor, error) {
				return predictor(fitRidge(ctx, d, rows, alpha, shared))
			},
		}
	}
	return learners
}

// predictor returns no predictor when there is an error.
func predictor(m *Model, err error) (learn.Predictor, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func fitRidge(ctx context.Context, d learn.Data, rows []int, alpha float64, c *cache) (*Model, error) {
	if d.Task != learn.Regression {
		return nil, fmt.Errorf("ridge regression of the task %q, want %q", d.Task, learn.Regression)
	}
	if !(alpha >= 0) || math.IsInf(alpha, 1) {
		return nil, fmt.Errorf("penalty %v of ridge regression is not a number from 0", alpha)
	}
	if err := check(d, rows); err != nil {
		return nil, err
	}
	p, err := c.prepare(ctx, d.X, rows)
	if err != nil {
		return nil, err
	}
	mean := 0.0
	for _, row := range rows {
		mean += d.Y[row]
	}
	mean /= float64(len(rows))
	differences := make([]float64, len(rows))
	for i, row := range rows {
		differences[i] = d.Y[row] - mean
	}
	coefficients, err := p.ridge(ctx, differences, alpha)
	if err != nil {
		return nil, fmt.Errorf("ridge regression with penalty %v: %w", alpha, err)
	}
	return p.model(learn.Regression, mean, coefficients)
}

// ridge returns the coefficients for the values y of the rows, whose mean is 0.
func (p *prepared) ridge(ctx context.Context, y []float64, alpha float64) ([]float64, error) {
	factor := p.products.scaled(one)
	if err := factor.factor(ctx, alpha); err != nil {
		return nil, err
	}
	if p.byRows {
		factor.solve(y)
		return p.transposed(ctx, y)
	}
	coefficients, err := p.transposed(ctx, y)
	if err != nil {
		return nil, err
	}
	factor.solve(coefficients)
	return coefficients, nil
}

// check returns an error if the sizes of d, the indexes of rows or their values to predict are invalid.
func check(d learn.Data, rows []int) error {
	if len(d.Y) != d.X.Rows || len(d.X.Values) != d.X.Rows*d.X.Columns {
		return fmt.Errorf("data with %d values to predict and %d of features for %d rows and %d columns",
			len(d.Y), len(d.X.Values), d.X.Rows, d.X.Columns)
	}
	for _, row := range rows {
		if row < 0 || row >= len(d.Y) {
			return fmt.Errorf("row %d of data with %d rows", row, len(d.Y))
		}
		y := d.Y[row]
		if math.IsNaN(y) || math.IsInf(y, 0) || d.Task == learn.Classification && y != 0 && y != 1 {
			return fmt.Errorf("value %v to predict in row %d", y, row)
		}
	}
	return nil
}
