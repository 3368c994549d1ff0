package tensor

import (
	"fmt"
	"slices"
)

func transpose(d definition) (operation, error) {
	order, err := d.constant(1, 1)
	if err != nil {
		return nil, err
	}
	permutation, err := order.integers()
	if err != nil {
		return nil, err
	}
	if sorted := slices.Sorted(slices.Values(permutation)); !slices.Equal(sorted, inOrder(len(sorted))) {
		return nil, fmt.Errorf("%w: invalid permutation %v", ErrModel, permutation)
	}
	return unary(func(a array) (array, error) {
		if len(a.shape) != len(permutation) {
			return array{}, fmt.Errorf("%w: cannot transpose shape %v by %v", ErrModel, a.shape, permutation)
		}
		return array{permuted(a.shape, permutation), permuted(inverse(permutation), a.order), a.data}, nil
	}), nil
}

func reshape(in []array) ([]array, error) {
	if len(in) != 2 {
		return nil, fmt.Errorf("%w: unexpected number of inputs: %d", ErrModel, len(in))
	}
	shape, err := in[1].integers()
	if err != nil {
		return nil, err
	}
	n, open := 1, -1
	for i, side := range shape {
		switch {
		case side == -1 && open < 0:
			open = i
		case side < 0 || side > 0 && n > maxElements/side:
			return nil, fmt.Errorf("%w: invalid shape %v", ErrModel, shape)
		default:
			n *= side
		}
	}
	if open >= 0 && n > 0 {
		shape[open] = len(in[0].data) / n
		n *= shape[open]
	}
	if n != len(in[0].data) || open >= 0 && shape[open] < 0 {
		return nil, fmt.Errorf("%w: cannot reshape %v to %v", ErrModel, in[0].shape, shape)
	}
	return []array{{shape, inOrder(len(shape)), in[0].rowMajor().data}}, nil
}

func padding(d definition) (operation, error) {
	margins, err := d.constant(1, 2)
	if err != nil {
		return nil, err
	}
	around, err := margins.integers()
	if err != nil {
		return nil, err
	}
	value := float32(0)
	if len(d.Input) > 2 {
		constant, err := d.constant(2, 0)
		if err != nil {
			return nil, err
		}
		value = constant.data[0]
	}
	if margins.shape[1] != 2 || slices.Min(append(around, 0)) < 0 {
		return nil, fmt.Errorf("%w: invalid margins %v", ErrModel, around)
	}
	return unary(func(a array) (array, error) { return pad(a, around, value) }), nil
}

// pad adds values before and after each dimension of an array. For each dimension, around
// contains the number of values before it and the number after it.
func pad(a array, around []int, value float32) (array, error) {
	if len(around) != 2*len(a.shape) {
		return array{}, fmt.Errorf("%w: cannot pad shape %v by %v", ErrModel, a.shape, around)
	}
	shape := slices.Clone(a.shape)
	for d := range shape {
		shape[d] += around[2*d] + around[2*d+1]
	}
	out, err := newArray(shape...)
	if err != nil {
		return array{}, err
	}
	out.order = a.order
	if value != 0 {
		for i := range out.data {
			out.data[i] = value
		}
	}
	start, strides := 0, out.strides()
	for d := range shape {
		start += around[2*d] * strides[d]
	}
	walk(a.sides(), [][]int{permuted(strides, a.order)}, func(from, length int, at []int) {
		copy(out.data[start+at[0]:], a.data[from:from+length])
	})
	return out, nil
}

// concatenation joins arrays along the dimension that the last input specifies.
func concatenation(in []array) ([]array, error) {
	if len(in) < 2 {
		return nil, fmt.Errorf("%w: unexpected number of inputs: %d", ErrModel, len(in))
	}
	parts := in[:len(in)-1]
	axis, err := in[len(in)-1].axis(len(parts[0].shape))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(parts[0].shape)
	for _, part := range parts[1:] {
		rest := slices.Clone(part.shape)
		if len(rest) == len(shape) {
			rest[axis] = shape[axis]
		}
		if !slices.Equal(rest, shape) {
			return nil, fmt.Errorf("%w: cannot concatenate shapes %v and %v", ErrModel, part.shape, shape)
		}
		shape[axis] += part.shape[axis]
	}
	out, err := newArray(shape...)
	if err != nil {
		return nil, err
	}
	out.order = parts[0].order
	start, strides := 0, out.strides()
	for _, part := range parts {
		part = part.ordered(out.order)
		walk(part.sides(), [][]int{permuted(strides, out.order)}, func(from, length int, at []int) {
			copy(out.data[start+at[0]:], part.data[from:from+length])
		})
		start += part.shape[axis] * strides[axis]
	}
	return []array{out}, nil
}

// axis returns the dimension that an array with one number specifies. rank is the number of dimensions.
func (a array) axis(rank int) (int, error) {
	value, err := a.integers()
	if err != nil {
		return 0, err
	}
	if len(value) != 1 || value[0] < -rank || value[0] >= rank {
		return 0, fmt.Errorf("%w: dimension %v is out of range for rank %d", ErrModel, value, rank)
	}
	return (value[0] + rank) % rank, nil
}

// split splits an array along a dimension into parts. The second input contains their lengths.
func split(in []array) ([]array, error) {
	if len(in) != 3 {
		return nil, fmt.Errorf("%w: unexpected number of inputs: %d", ErrModel, len(in))
	}
	a := in[0]
	lengths, err := in[1].integers()
	if err != nil {
		return nil, err
	}
	axis, err := in[2].axis(len(a.shape))
	if err != nil {
		return nil, err
	}
	total := 0
	for _, length := range lengths {
		if length < 0 {
			return nil, fmt.Errorf("%w: invalid part lengths %v", ErrModel, lengths)
		}
		total += length
	}
	if total != a.shape[axis] {
		return nil, fmt.Errorf("%w: cannot split %v into parts of %v", ErrModel, a.shape, lengths)
	}
	var parts []array
	start, strides := 0, a.strides()
	for _, length := range lengths {
		shape := slices.Clone(a.shape)
		shape[axis] = length
		part, err := newArray(shape...)
		if err != nil {
			return nil, err
		}
		part.order = a.order
		walk(part.sides(), [][]int{permuted(strides, a.order)}, func(to, length int, at []int) {
			copy(part.data[to:to+length], a.data[start+at[0]:])
		})
		start += length * strides[axis]
		parts = append(parts, part)
	}
	return parts, nil
}

// sparse returns an array filled with a default value. Its inputs are the positions of other
// elements, the shape, the values of the other elements, and the default. Models with other
// elements are not supported.
func sparse(in []array) ([]array, error) {
	if len(in) != 4 || len(in[3].data) != 1 {
		return nil, fmt.Errorf("%w: unexpected number of inputs: %d", ErrModel, len(in))
	}
	shape, err := in[1].integers()
	if err != nil {
		return nil, err
	}
	if len(shape) != 1 || len(in[0].data) != 0 || len(in[2].data) != 0 {
		return nil, fmt.Errorf("%w: invalid sparse elements for shape %v", ErrModel, shape)
	}
	out, err := newArray(shape...)
	if err != nil {
		return nil, err
	}
	for i := range out.data {
		out.data[i] = in[3].data[0]
	}
	return []array{out}, nil
}
