// Package linear fits ridge regression and logistic regression with a squared penalty (L2).
//
// Features are standardized with the mean and the deviation of the rows that a model learns from; their coefficients are
// those that Ridge and LogisticRegression of scikit-learn find for such features. Features that do not vary have the
// coefficient 0. The intercept has no penalty. Results are the same bits on all machines, see package exact.
package linear

import (
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// Model is a linear function of the features: the predicted value for Regression, its log odds for Classification. Models are
// returned by [FitRidge] and [FitLogistic], or read by UnmarshalBinary.
type Model struct {
	Task learn.Task
	// Center is the value of the function for the means of the features.
	Center float64
	// Standardized are the coefficients of the standardized features, by which the function changes when a feature increases
	// by its deviation.
	Standardized []float64
	// Means and Deviations are those of the features in the rows that the model learned from. A deviation is the root of the
	// mean squared difference from the mean; it is 0 for features that did not vary.
	Means, Deviations []float64

	slopes []float64 // the coefficients of the features in their units
}

// prepare computes what is not stored.
func (m *Model) prepare() {
	m.slopes = make([]float64, len(m.Standardized))
	for j, c := range m.Standardized {
		if m.Deviations[j] > 0 {
			m.slopes[j] = c / m.Deviations[j]
		}
	}
}

// Coefficients returns the coefficients of the features in their own units, by which the function changes when a feature
// increases by 1.
func (m *Model) Coefficients() []float64 { return append([]float64(nil), m.slopes...) }

// Intercept returns the value of the function where all features are 0.
func (m *Model) Intercept() float64 { return m.Center - exact.Dot(m.slopes, m.Means) }

// Predict implements [learn.Predictor].
func (m *Model) Predict(x []float64) float64 {
	value := m.Center + exact.DotFrom(m.Means, x[:len(m.slopes)], m.slopes)
	if m.Task == learn.Classification {
		return exact.Probability(value)
	}
	return value
}

// Importance implements [learn.Predictor] with the amounts of the standardized coefficients.
func (m *Model) Importance() []float64 {
	shares, largest, sum := make([]float64, len(m.Standardized)), 0.0, 0.0
	for _, c := range m.Standardized {
		largest = max(largest, math.Abs(c))
	}
	if largest == 0 {
		return shares
	}
	for j, c := range m.Standardized {
		shares[j] = math.Abs(c) / largest
		sum += shares[j]
	}
	for j := range shares {
		shares[j] /= sum
	}
	return shares
}

// model returns the model with the coefficients of the columns that vary, or an error if they are too large.
func (p *prepared) model(task learn.Task, center float64, coefficients []float64) (*Model, error) {
	m := &Model{
		Task: task, Center: center, Standardized: make([]float64, p.x.Columns), Means: p.mean, Deviations: p.deviation,
	}
	for k, j := range p.columns {
		m.Standardized[j] = coefficients[k]
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	m.prepare()
	return m, nil
}
