package linear

import (
	"context"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// direction returns the step of Newton's method: the solution of Hessian * step = -gradient with a relative error.
func (f *logistic) direction(ctx context.Context, s *solver, gradient vector, relative float64) (vector, error) {
	p := len(gradient.coefficients)
	x, rest := vector{0, make([]float64, p)}, vector{0, make([]float64, p)}
	rest.add(gradient, -1)
	z, err := f.precondition(ctx, s, rest)
	if err != nil {
		return vector{}, err
	}
	d := z
	reduction := rest.dot(z)
	target := float64(reduction * float64(relative*relative))
	for range 10*p + 100 {
		h, err := f.hessian(ctx, d)
		if err != nil {
			return vector{}, err
		}
		f.spent++
		f.sinceFactor++
		curvature := d.dot(h)
		if !(curvature > 0) {
			break // only by rounding
		}
		length := reduction / curvature
		x.add(d, length)
		rest.add(h, -length)
		if z, err = f.precondition(ctx, s, rest); err != nil {
			return vector{}, err
		}
		next := rest.dot(z)
		if next <= target {
			break
		}
		z.add(d, next/reduction)
		d, reduction = z, next
	}
	return x, nil
}

func (f *logistic) precondition(ctx context.Context, s *solver, v vector) (vector, error) {
	coefficients, err := s.solve(ctx, v.coefficients)
	return vector{v.center / f.total, coefficients}, err
}

// hessian returns the product of the Hessian and v.
func (f *logistic) hessian(ctx context.Context, v vector) (vector, error) {
	coefficients, center, err := f.p.weighted(ctx, f.weights, v.coefficients, v.center)
	if err != nil {
		return vector{}, err
	}
	for k, c := range v.coefficients {
		coefficients[k] += float64(f.penalty * c)
	}
	return vector{center, coefficients}, nil
}

// search returns the length of a step, at most 1, that reduces the value enough, or 0 if there is none. The change is that
// of the log odds, slope that of the value.
func (f *logistic) search(direction vector, change []float64, slope float64) float64 {
	start := f.value(direction, change, 0)
	rounding := float64(start * max(float64(float64(len(f.y))*0x1p-50), 0x1p-44))
	for length := 1.0; length > 1e-10; length /= 2 {
		if f.value(direction, change, length) <= start+float64(1e-4*float64(length*slope))+rounding {
			return length
		}
	}
	return 0
}

// value returns the value to minimize after a step.
func (f *logistic) value(direction vector, change []float64, length float64) float64 {
	sum, squares := 0.0, 0.0
	for i, odds := range f.odds {
		odds += float64(length * change[i])
		if f.y[i] == 1 {
			odds = -odds
		}
		sum += max(odds, 0) + exact.Log(1+exact.Exp(-math.Abs(odds)))
	}
	for k, c := range f.coefficients {
		c += float64(length * direction.coefficients[k])
		squares += float64(c * c)
	}
	return sum + float64(f.penalty*squares)/2
}

// move takes a step and returns its size relative to the largest parameter or 1.
func (f *logistic) move(direction vector, change []float64, length float64) float64 {
	largest, longest := max(1, math.Abs(f.center)), math.Abs(direction.center)
	f.center += float64(length * direction.center)
	for i := range f.odds {
		f.odds[i] += float64(length * change[i])
	}
	for k := range f.coefficients {
		largest, longest = max(largest, math.Abs(f.coefficients[k])), max(longest, math.Abs(direction.coefficients[k]))
		f.coefficients[k] += float64(length * direction.coefficients[k])
	}
	return longest / largest
}
