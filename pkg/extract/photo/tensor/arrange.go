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
	if margins.shape[1] != 2 || slices.Min(append(around, 0)) < 0 {
		return nil, fmt.Errorf("%w: invalid margins %v", ErrModel, around)
	}
	return unary(func(a array) (array, error) { return pad(a, around) }), nil
}

// pad adds zeros before and after each dimension of an array. For each dimension, around
// contains the number of zeros before it and the number after it.
func pad(a array, around []int) (array, error) {
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

// dimensions returns the shape of an array.
func dimensions(a array) (array, error) {
	out, err := newArray(len(a.shape))
	for i := range out.data {
		out.data[i] = float32(a.shape[i])
	}
	return out, err
}

// element returns the operation that takes one element of a vector. Other slices are not supported.
func element(d definition) (operation, error) {
	begin, err := d.constant(1, 1)
	if err != nil {
		return nil, err
	}
	at, err := begin.integers()
	if err != nil {
		return nil, err
	}
	for i := 2; i < len(d.taken); i++ {
		if _, err := d.constant(i, 1); err != nil {
			return nil, err
		}
	}
	if len(at) != 1 || d.Attr["shrink_axis_mask"].I != "1" {
		return nil, fmt.Errorf("%w: unsupported slice at %v", ErrModel, at)
	}
	return unary(func(a array) (array, error) {
		if len(a.shape) != 1 || at[0] < 0 || at[0] >= len(a.data) {
			return array{}, fmt.Errorf("%w: no element %d in shape %v", ErrModel, at[0], a.shape)
		}
		return array{[]int{}, []int{}, a.data[at[0] : at[0]+1]}, nil
	}), nil
}

// pack joins scalars to a vector.
func pack(in []array) ([]array, error) {
	out, err := newArray(len(in))
	if err != nil {
		return nil, err
	}
	for i, a := range in {
		if len(a.data) != 1 {
			return nil, fmt.Errorf("%w: cannot pack shape %v", ErrModel, a.shape)
		}
		out.data[i] = a.data[0]
	}
	return []array{out}, nil
}
