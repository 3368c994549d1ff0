package tensor

import (
	"fmt"
	"math"
	"slices"
)

// each returns an operation that applies f to every element.
func each(f func(float32) float32) operation {
	return unary(func(a array) (array, error) {
		out := array{a.shape, a.order, make([]float32, len(a.data))}
		for i, v := range a.data {
			out.data[i] = f(v)
		}
		return out, nil
	})
}

func relu6(v float32) float32 { return min(max(v, 0), 6) }

func sigmoid(v float32) float32 { return float32(1 / (1 + math.Exp(-float64(v)))) }

// combine returns an operation on two arrays. The smaller is broadcast to the shape of the larger, as
// in NumPy: along dimensions of length 1 and missing leading dimensions.
func combine(op func(out, a, b []float32), scalar func(out, a []float32, b float32)) operation {
	pair := func(a, b array) (array, error) {
		if slices.Equal(a.shape, b.shape) && slices.Equal(a.order, b.order) {
			out := array{a.shape, a.order, make([]float32, len(a.data))}
			op(out.data, a.data, b.data)
			return out, nil
		}
		if len(a.data) < len(b.data) {
			a, b = b, a // both operations are commutative
		}
		if len(b.shape) > len(a.shape) {
			return array{}, fmt.Errorf("%w: cannot combine shapes %v and %v", ErrModel, a.shape, b.shape)
		}
		strides, own := make([]int, len(a.shape)), b.strides()
		for d := range b.shape {
			at := d + len(a.shape) - len(b.shape)
			switch b.shape[d] {
			case a.shape[at]:
				strides[at] = own[d]
			case 1:
			default:
				return array{}, fmt.Errorf("%w: cannot combine shapes %v and %v", ErrModel, a.shape, b.shape)
			}
		}
		strides = permuted(strides, a.order)
		step := 0 // step in b between neighbors in a
		if len(strides) > 0 {
			step = strides[len(strides)-1]
		}
		out := array{a.shape, a.order, make([]float32, len(a.data))}
		walk(out.sides(), [][]int{strides}, func(to, length int, at []int) {
			target, left := out.data[to:to+length], a.data[to:to+length]
			switch step {
			case 0:
				scalar(target, left, b.data[at[0]])
			case 1:
				op(target, left, b.data[at[0]:at[0]+length])
			default:
				for i := range target {
					scalar(target[i:i+1], left[i:i+1], b.data[at[0]+i*step])
				}
			}
		})
		return out, nil
	}
	return func(in []array) ([]array, error) {
		if len(in) == 0 {
			return nil, fmt.Errorf("%w: no operands", ErrModel)
		}
		sum := in[0]
		var err error
		for _, next := range in[1:] {
			if sum, err = pair(sum, next); err != nil {
				return nil, err
			}
		}
		return []array{sum}, nil
	}
}

func add(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func addScalar(out, a []float32, b float32) {
	a = a[:len(out)]
	for i := range out {
		out[i] = a[i] + b
	}
}

func times(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}

func timesScalar(out, a []float32, b float32) {
	a = a[:len(out)]
	for i := range out {
		out[i] = a[i] * b
	}
}
