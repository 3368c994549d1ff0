package linear

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// FitLogistic fits logistic regression to rows of d: it minimizes the negative log likelihood plus the sum of the squared
// coefficients of the standardized features divided by 2c. The parameter c is positive; the smaller, the stronger is the
// penalty, which also keeps the coefficients finite where the features separate the classes. FitLogistic returns [learn.ErrOneClass]
// if the rows have one class only, and the cause of ctx if that is done.
//
// It needs as much memory as [FitRidge].
func FitLogistic(ctx context.Context, d learn.Data, rows []int, c float64) (*Model, error) {
	return fitLogistic(ctx, d, rows, c, new(cache))
}

// LogisticLearner returns a learner of [FitLogistic].
func LogisticLearner(c float64) learn.Learner { return LogisticLearners(c)[0] }

// LogisticLearners returns learners of [FitLogistic] that share a part of the computation when they fit the same rows of the
// same data, which must not change meanwhile.
func LogisticLearners(cs ...float64) []learn.Learner {
	shared, learners := new(cache), make([]learn.Learner, len(cs))
	for i, c := range cs {
		learners[i] = learn.Learner{
			Name: "logistic", Parameters: map[string]float64{"c": c},
			Fit: func(ctx context.Context, d learn.Data, rows []int) (learn.Predictor, error) {
				return predictor(fitLogistic(ctx, d, rows, c, shared))
			},
		}
	}
	return learners
}

func fitLogistic(ctx context.Context, d learn.Data, rows []int, c float64, shared *cache) (*Model, error) {
	if d.Task != learn.Classification {
		return nil, fmt.Errorf("logistic regression of the task %q, want %q", d.Task, learn.Classification)
	}
	if !(c > 0) || math.IsInf(1/c, 0) || math.IsInf(c, 0) {
		return nil, fmt.Errorf("parameter c = %v of logistic regression is not a positive number", c)
	}
	if err := check(d, rows); err != nil {
		return nil, err
	}
	y, ones := make([]float64, len(rows)), 0.0
	for i, row := range rows {
		y[i] = d.Y[row]
		ones += y[i]
	}
	zeros := float64(len(rows)) - ones
	if len(rows) > 0 && (ones == 0 || zeros == 0) {
		return nil, learn.ErrOneClass
	}
	p, err := shared.prepare(ctx, d.X, rows)
	if err != nil {
		return nil, err
	}
	f := &logistic{p: p, y: y, penalty: 1 / c, center: exact.Log(ones / zeros)}
	if err := f.minimize(ctx); err != nil {
		return nil, fmt.Errorf("logistic regression with c = %v: %w", c, err)
	}
	return p.model(learn.Classification, f.center, f.coefficients)
}

// logistic minimizes the negative log likelihood plus the penalty by Newton's method. Its steps are found by conjugate
// gradients, preconditioned with the Hessian that rows of equal weights would have: a few products with the matrix replace
// the computation of the Hessian.
type logistic struct {
	p       *prepared
	y       []float64 // of the rows, 0 or 1
	penalty float64

	center       float64
	coefficients []float64
	odds         []float64 // log odds of the rows
	weights      []float64 // of the rows in the Hessian
	total        float64   // of the weights
	spent        int       // products of the Hessian with a vector, since the start or its last exact approximation
	sinceFactor  int       // those since its last approximation
	exact        bool      // whether that is exact
	approximated float64   // total at the last other approximation
}

const (
	maxSteps  = 100  // of Newton's method; data of practice need less than 15
	tolerance = 1e-9 // of the coefficients, relative to the largest of them or 1
)

var errNoMinimum = errors.New("no minimum found, so the penalty must be larger")

func (f *logistic) minimize(ctx context.Context) error {
	n := len(f.y)
	f.coefficients, f.odds, f.weights = make([]float64, len(f.p.columns)), make([]float64, n), make([]float64, n)
	for i := range f.odds {
		f.odds[i] = f.center
	}
	change, first := make([]float64, n), 0.0
	var s *solver
	for step := range maxSteps {
		gradient, err := f.gradient(ctx)
		if err != nil {
			return err
		}
		size := gradient.size()
		if step == 0 {
			first = size
		}
		if size == 0 {
			return nil
		}
		if s, err = f.solver(ctx, s); err != nil {
			return err
		}
		relative := max(min(0.1, math.Sqrt(size/first)), 1e-3)
		direction, err := f.direction(ctx, s, gradient, relative)
		if err != nil {
			return err
		}
		if err := f.p.times(ctx, direction.coefficients, change); err != nil {
			return err
		}
		for i := range change {
			change[i] += direction.center
		}
		length := f.search(direction, change, direction.dot(gradient))
		if length == 0 {
			return errNoMinimum
		}
		if step := f.move(direction, change, length); length == 1 && float64(step*relative) <= tolerance {
			return nil
		}
	}
	return errNoMinimum
}

// solver returns the approximation of the Hessian for the next step: the last one until products with the Hessian have taken as
// long as the computation of a better one does.
func (f *logistic) solver(ctx context.Context, last *solver) (*solver, error) {
	product, gram := f.p.costs()
	n := f.p.products.n
	factor := n * n * n / 6
	if f.p.byRows {
		product *= 2 // a solution takes as long
	}
	product += n * n
	changed := f.p.byRows || !f.exact && (f.total < f.approximated/1.5 || f.total > f.approximated*1.5)
	switch {
	case !f.p.byRows && f.spent*product > gram+factor:
		f.spent, f.sinceFactor, f.exact = 0, 0, true
		return f.p.exactSolver(ctx, f.weights, f.penalty)
	case last == nil || changed && f.sinceFactor*product > factor:
		f.approximated, f.sinceFactor = f.total, 0
		return f.p.solver(ctx, f.weights, f.penalty)
	}
	return last, nil
}

// vector is a value for each parameter.
type vector struct {
	center       float64
	coefficients []float64
}

func (v vector) dot(w vector) float64 {
	return float64(v.center*w.center) + exact.Dot(v.coefficients, w.coefficients)
}

func (v vector) size() float64 { return math.Sqrt(v.dot(v)) }

// add adds w times a factor to v.
func (v *vector) add(w vector, factor float64) {
	v.center += float64(w.center * factor)
	for i, x := range w.coefficients {
		v.coefficients[i] += float64(x * factor)
	}
}

// gradient returns the gradient and sets the weights of the rows.
func (f *logistic) gradient(ctx context.Context) (vector, error) {
	f.total = 0
	residuals, center := make([]float64, len(f.y)), 0.0
	for i, odds := range f.odds {
		e := exact.Exp(-math.Abs(odds))
		low, high := e/(1+e), 1/(1+e) // probabilities of the values
		f.weights[i] = float64(low * high)
		f.total += f.weights[i]
		residuals[i] = high
		if odds > 0 == (f.y[i] == 1) {
			residuals[i] = low
		}
		if f.y[i] == 1 {
			residuals[i] = -residuals[i]
		}
		center += residuals[i]
	}
	coefficients, err := f.p.transposed(ctx, residuals)
	if err != nil {
		return vector{}, err
	}
	g := vector{center, coefficients}
	for k, c := range f.coefficients {
		g.coefficients[k] += float64(f.penalty * c)
	}
	return g, nil
}
