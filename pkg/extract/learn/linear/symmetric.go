package linear

import (
	"context"
	"errors"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// symmetric is the lower triangle of a symmetric matrix, row by row, or that of its Cholesky factor. It is not that of gonum,
// whose results differ between architectures: after rounding to 12 digits still a quarter of the coefficients of a
// regression on 60 correlated features differ.
type symmetric struct {
	n      int
	values []float64
}

func newSymmetric(n int) symmetric { return symmetric{n, make([]float64, n*(n+1)/2)} }

func (s symmetric) row(i int) []float64 { return s.values[i*(i+1)/2 : (i+1)*(i+2)/2] }

var errSingular = errors.New("the features are linear combinations of others, so the penalty must be larger")

// scaled returns a copy in which the value of a row and a column is multiplied with the factors of both.
func (s symmetric) scaled(factor func(i int) float64) symmetric {
	c := newSymmetric(s.n)
	for i := range s.n {
		from, to, f := s.row(i), c.row(i), factor(i)
		for j, v := range from {
			to[j] = float64(v * float64(f*factor(j)))
		}
	}
	return c
}

// factor replaces s with the Cholesky factor of s + diagonal*I.
func (s symmetric) factor(ctx context.Context, diagonal float64) error {
	for i := range s.n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row := s.row(i)
		for j := range i {
			other := s.row(j)
			row[j] = (row[j] - exact.Dot(row[:j], other[:j])) / other[j]
		}
		value := row[i] + diagonal
		rest := value - exact.Dot(row[:i], row[:i])
		if !(rest > float64(float64(s.n)*0x1p-52)*value) {
			return errSingular
		}
		row[i] = math.Sqrt(rest)
	}
	return nil
}

// solve replaces v with the solution of the equations of which s is the Cholesky factor.
func (s symmetric) solve(v []float64) {
	for i := range s.n {
		row := s.row(i)
		v[i] = (v[i] - exact.Dot(row[:i], v[:i])) / row[i]
	}
	for i := s.n - 1; i >= 0; i-- {
		row := s.row(i)
		v[i] /= row[i]
		for j, l := range row[:i] {
			v[j] -= float64(l * v[i])
		}
	}
}
