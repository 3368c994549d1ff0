// Package learn trains models that predict a column of records from their other columns and from the structures of
// molecules.
//
// Everything in the packages below it is deterministic: the same data and the same seed give the same model, whatever the
// number of processors. Where the order or the fusing of floating-point operations could change a decision, as in trees, the
// operations are written so that all architectures round alike.
package learn

import (
	"context"
	"errors"
)

// ErrOneClass is the error of fitting a classifier to rows that all have the same value, or of a measure that is not defined for
// them.
var ErrOneClass = errors.New("all rows have the same value to predict")

// Task is what a model predicts.
type Task string

// Tasks.
const (
	Regression     Task = "regression"     // a number
	Classification Task = "classification" // the probability of the second of two values
)

// Matrix is a dense matrix. Values are row by row.
type Matrix struct {
	Rows, Columns int
	Values        []float64
}

// Row returns a row, which the caller must not change.
func (m Matrix) Row(i int) []float64 { return m.Values[i*m.Columns : (i+1)*m.Columns] }

// Data are examples: a row of features and the value to predict.
type Data struct {
	Task Task
	X    Matrix    // finite values
	Y    []float64 // of each row; 0 or 1 for Classification
	// Groups are the groups of rows that stay in one fold, such as the records of one molecule; nil if each row is a
	// group.
	Groups []int
}

// Learner fits models of one kind with fixed parameters.
type Learner struct {
	Name       string             // such as ridge
	Parameters map[string]float64 // for display
	// Fit fits a model to some rows of the data. It returns the error of ctx if that is done.
	Fit func(ctx context.Context, d Data, rows []int) (Predictor, error)
}

// Predictor is a fitted model.
type Predictor interface {
	// Predict returns the predicted value for the features of a row, or the probability of the value 1.
	Predict(x []float64) float64
	// Importance returns a value for each feature that is not negative; the values add up to 1, or are all 0.
	Importance() []float64
}
