package tensor

import (
	"fmt"
	"math"
	"slices"
)

// array is a tensor whose dimensions may be in any order in memory, so that a transposition copies
// nothing. Its data does not change after an operation has returned it. Integers are stored as
// floating-point numbers too, which represent the integers in shapes exactly.
type array struct {
	shape []int
	order []int // the dimensions, outermost in memory first
	data  []float32
}

// maxElements bounds the size of an array. It is far above what the models need.
const maxElements = 1 << 26

// newArray returns an array of zeros in row-major order.
func newArray(shape ...int) (array, error) { return newArrayWithin(maxElements, shape) }

// newArrayWithin returns an array of zeros, or an error if it would have more than most elements.
func newArrayWithin(most int, shape []int) (array, error) {
	n := 1
	for _, side := range shape {
		if side < 0 || side > 0 && n > most/side {
			return array{}, fmt.Errorf("%w: invalid array shape %v", ErrModel, shape)
		}
		n *= side
	}
	if n > most {
		return array{}, fmt.Errorf("%w: array of shape %v is too large", ErrModel, shape)
	}
	return array{shape, inOrder(len(shape)), make([]float32, n)}, nil
}

func inOrder(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	return order
}

// permuted returns the elements of values at the given positions.
func permuted[T any](values []T, positions []int) []T {
	out := make([]T, len(positions))
	for i, position := range positions {
		out[i] = values[position]
	}
	return out
}

// inverse returns the inverse of a permutation.
func inverse(permutation []int) []int {
	out := make([]int, len(permutation))
	for i, position := range permutation {
		out[position] = i
	}
	return out
}

// sides returns the lengths of the dimensions in memory order.
func (a array) sides() []int { return permuted(a.shape, a.order) }

// strides returns the distance in memory between neighbors in each dimension.
func (a array) strides() []int {
	strides, n := make([]int, len(a.shape)), 1
	for _, dimension := range slices.Backward(a.order) {
		strides[dimension] = n
		n *= a.shape[dimension]
	}
	return strides
}

// ordered returns the array with its dimensions in another memory order.
func (a array) ordered(order []int) array {
	if slices.Equal(a.order, order) {
		return a
	}
	out := array{a.shape, order, make([]float32, len(a.data))}
	from := permuted(a.strides(), order)
	walk(out.sides(), [][]int{from}, func(to, length int, at []int) {
		source := a.data[at[0]:]
		for i := range length {
			out.data[to+i] = source[i*from[len(from)-1]]
		}
	})
	return out
}

// rowMajor returns the array in row-major order.
func (a array) rowMajor() array { return a.ordered(inOrder(len(a.shape))) }

// walk calls f for each run of elements along the last dimension, with its position in row-major
// order, its length, and its position for each of the strides.
func walk(sides []int, strides [][]int, f func(to, length int, at []int)) {
	at, outer, length := make([]int, len(strides)), 1, 1
	if last := len(sides) - 1; last >= 0 {
		length, sides = sides[last], sides[:last]
	}
	for _, side := range sides {
		outer *= side
	}
	index := make([]int, len(sides))
	for n := range outer {
		f(n*length, length, at)
		for d := len(sides) - 1; d >= 0; d-- {
			index[d]++
			for i := range at {
				at[i] += strides[i][d]
			}
			if index[d] < sides[d] {
				break
			}
			for i := range at {
				at[i] -= strides[i][d] * sides[d]
			}
			index[d] = 0
		}
	}
}

// integers returns the elements of an integer array.
func (a array) integers() ([]int, error) {
	out := make([]int, len(a.data))
	for i, v := range a.rowMajor().data {
		if v != float32(math.Trunc(float64(v))) || math.Abs(float64(v)) > 1<<24 {
			return nil, fmt.Errorf("%w: %v is not an integer", ErrModel, v)
		}
		out[i] = int(v)
	}
	return out, nil
}
