// Package score measures predictions.
//
// The functions take values and their predictions in the same order and of the same number. Like those of scikit-learn, which
// they equal, they are defined for every number of rows from 1, except where they return an error.
package score

import (
	"errors"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// Errors of this package.
var (
	ErrRows   = errors.New("no rows, or not as many predictions")
	ErrNumber = errors.New("a value or prediction is not a finite number")
	ErrFew    = errors.New("too few rows for an interval")
)

// Regression are measures of predicted numbers.
type Regression struct {
	Rows int     `json:"rows"`
	RMSE float64 `json:"rmse"` // root of the mean squared error, in the unit of the values
	MAE  float64 `json:"mae"`  // mean amount of the error, in the unit of the values
	// R2 is the share of the variance that the predictions explain, at most 1; it is negative if they are worse than the mean
	// of the values. If the values are all the same, it is 1 if there are no errors and 0 otherwise.
	R2 float64 `json:"r2"`
}

// Classification are measures of predicted probabilities of the value 1. A row is predicted as 1 from the probability 0.5.
type Classification struct {
	Rows int `json:"rows"`
	// AUC is the area under the ROC curve, the probability that a row of the value 1 has a higher prediction than one of the
	// value 0: 0.5 for chance, 1 if all have.
	AUC     float64 `json:"auc"`
	LogLoss float64 `json:"logLoss"` // mean negative logarithm of the probability of the right value; 0 is best
	Brier   float64 `json:"brier"`   // mean squared error of the probability, from 0, the best, to 1
	// Accuracy is the share of rows that are predicted right, BalancedAccuracy the mean of those shares of both values.
	Accuracy         float64   `json:"accuracy"`
	BalancedAccuracy float64   `json:"balancedAccuracy"`
	Confusion        Confusion `json:"confusion"`
}

// Confusion counts rows by their value and prediction.
type Confusion struct {
	TrueZeros  int `json:"trueZeros"`  // 0, predicted as 0
	FalseOnes  int `json:"falseOnes"`  // 0, predicted as 1
	FalseZeros int `json:"falseZeros"` // 1, predicted as 0
	TrueOnes   int `json:"trueOnes"`   // 1, predicted as 1
}

// OfNumbers returns the measures of predicted numbers. It returns [ErrRows] or [ErrNumber] if they are invalid.
func OfNumbers(y, predicted []float64) (Regression, error) {
	if err := check(y, predicted); err != nil {
		return Regression{}, err
	}
	n := float64(len(y))
	mean := 0.0
	for _, v := range y {
		mean += v / n
	}
	var squares, amounts, variance float64
	for i, v := range y {
		e := v - predicted[i]
		squares += float64(e * e)
		amounts += math.Abs(e)
		variance += float64((v - mean) * (v - mean))
	}
	r := Regression{Rows: len(y), RMSE: math.Sqrt(squares / n), MAE: amounts / n, R2: 1 - squares/variance}
	if same(y) {
		r.R2 = 0
		if squares == 0 {
			r.R2 = 1
		}
	}
	if math.IsInf(squares, 0) || math.IsInf(variance, 0) || math.IsNaN(r.R2) {
		return Regression{}, ErrNumber
	}
	return r, nil
}

// RMSE returns the root of the mean squared error.
func RMSE(y, predicted []float64) (float64, error) {
	r, err := OfNumbers(y, predicted)
	return r.RMSE, err
}

// OfProbabilities returns the measures of predicted probabilities of the value 1, for the values 0 and 1. It returns
// [learn.ErrOneClass] if there is only one of them, and [ErrRows] or [ErrNumber] for other invalid arguments.
func OfProbabilities(y, predicted []float64) (Classification, error) {
	area, err := AUC(y, predicted)
	if err != nil {
		return Classification{}, err
	}
	c, n := Classification{Rows: len(y), AUC: area}, float64(len(y))
	for i, v := range y {
		p := predicted[i]
		if p < 0 || p > 1 {
			return Classification{}, ErrNumber
		}
		c.Brier += float64((v-p)*(v-p)) / n
		right := p
		if v == 0 {
			right = 1 - p
		}
		c.LogLoss -= exact.Log(min(max(right, 0x1p-52), 1-0x1p-52)) / n // as scikit-learn limits it
		switch {
		case v == 0 && p < 0.5:
			c.Confusion.TrueZeros++
		case v == 0:
			c.Confusion.FalseOnes++
		case p < 0.5:
			c.Confusion.FalseZeros++
		default:
			c.Confusion.TrueOnes++
		}
	}
	zeros, ones := c.Confusion.TrueZeros+c.Confusion.FalseOnes, c.Confusion.FalseZeros+c.Confusion.TrueOnes
	c.Accuracy = float64(c.Confusion.TrueZeros+c.Confusion.TrueOnes) / n
	c.BalancedAccuracy = (float64(c.Confusion.TrueZeros)/float64(zeros) + float64(c.Confusion.TrueOnes)/float64(ones)) / 2
	return c, nil
}

func check(y, predicted []float64) error {
	if len(y) == 0 || len(y) != len(predicted) {
		return ErrRows
	}
	for i, v := range y {
		if v-v != 0 || predicted[i]-predicted[i] != 0 { // infinite, or not a number
			return ErrNumber
		}
	}
	return nil
}

func checkClasses(y, predicted []float64) error {
	if err := check(y, predicted); err != nil {
		return err
	}
	for _, v := range y {
		if v != 0 && v != 1 {
			return ErrNumber
		}
	}
	if same(y) {
		return learn.ErrOneClass
	}
	return nil
}

func same(y []float64) bool {
	for _, v := range y {
		if v != y[0] {
			return false
		}
	}
	return true
}

// Better reports whether the score a of a task is better than b: a lower RMSE or a higher AUC.
func Better(task learn.Task, a, b float64) bool {
	if task == learn.Classification {
		return a > b
	}
	return a < b
}
