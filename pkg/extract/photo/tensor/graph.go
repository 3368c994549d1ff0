// Package tensor runs small neural networks, given as TensorFlow.js graph models, on one goroutine
// and with the same result on every processor.
//
// It supports the operations of the models of package local, for one picture at a time. Loading a
// model with other operations, or other variants of them, fails.
package tensor

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrModel means that a model is invalid or unsupported, or that an input does not match it.
var ErrModel = errors.New("the model is invalid or not supported")

// Tensor is an array of numbers in row-major order: the last dimension is contiguous.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Graph is a loaded model. It is safe for concurrent use.
type Graph struct {
	shape   []int // shape of the input
	steps   []step
	values  []array // constants
	outputs map[string]int
}

// step computes values from other values.
type step struct {
	name     string
	run      operation
	from, to []int // indexes of values
	done     []int // values that no later step needs
}

// operation computes values. It does not change its inputs.
type operation func(in []array) ([]array, error)

func unary(f func(array) (array, error)) operation {
	return func(in []array) ([]array, error) {
		if len(in) != 1 {
			return nil, fmt.Errorf("%w: unexpected number of inputs: %d", ErrModel, len(in))
		}
		out, err := f(in[0])
		return []array{out}, err
	}
}

// definition is a node with the inputs that are known when the model is loaded.
type definition struct {
	node
	known   []*array // nil for unknown inputs
	taken   []bool   // inputs consumed when the model is loaded; the operation does not receive them at run time
	kernels kernels
}

// constant returns an input, which must be a constant of the given rank.
func (d definition) constant(i, rank int) (array, error) {
	if i >= len(d.known) || d.known[i] == nil || len(d.known[i].shape) != rank {
		return array{}, fmt.Errorf("%w: input %d is not a constant of rank %d", ErrModel, i, rank)
	}
	d.taken[i] = true
	return *d.known[i], nil
}

// operation returns the operation of the node.
func (d definition) operation() (operation, error) {
	switch d.Op {
	case "Identity":
		return unary(func(a array) (array, error) { return a, nil }), nil
	case "Add", "AddV2", "AddN":
		return combine(add, addScalar), nil
	case "Mul":
		return combine(times, timesScalar), nil
	case "Relu":
		return unary(func(a array) (array, error) {
			out := array{a.shape, a.order, slices.Clone(a.data)}
			d.kernels.positive(out.data)
			return out, nil
		}), nil
	case "Relu6":
		return each(relu6), nil
	case "Sigmoid":
		return each(sigmoid), nil
	case "Conv2D":
		return convolution(d, finish{})
	case "_FusedConv2D":
		return fused(d, convolution)
	case "DepthwiseConv2dNative":
		return depthwise(d, finish{})
	case "FusedDepthwiseConv2dNative":
		return fused(d, depthwise)
	case "DepthToSpace":
		return depthToSpace(d)
	case "Shape":
		return unary(dimensions), nil
	case "StridedSlice":
		return element(d)
	case "Pack":
		return pack, nil
	case "Conv2DBackpropInput":
		return transposedConvolution(d)
	case "ResizeBilinear":
		return resize(d)
	case "AvgPool":
		return pool(d)
	case "Pad":
		return padding(d)
	case "Transpose":
		return transpose(d)
	case "Reshape":
		return reshape, nil
	case "ConcatV2":
		return concatenation, nil
	}
	return nil, fmt.Errorf("%w: unsupported operation %s", ErrModel, d.Op)
}

// Run returns the outputs of the model for an input, by name. If ctx is done, it stops between two
// steps and returns the cause. Other errors are ErrModel.
func (g *Graph) Run(ctx context.Context, input Tensor) (map[string]Tensor, error) {
	values := slices.Clone(g.values)
	n := 1
	for _, side := range g.shape {
		n *= side
	}
	if !slices.Equal(input.Shape, g.shape) || len(input.Data) != n {
		return nil, fmt.Errorf("%w: got an input of %d numbers in shape %v, want %v", ErrModel, len(input.Data), input.Shape, g.shape)
	}
	values[0] = array{g.shape, inOrder(len(g.shape)), input.Data}
	for _, s := range g.steps {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out, err := s.run(permuted(values, s.from))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if len(out) != len(s.to) {
			return nil, fmt.Errorf("%s: %w: unexpected number of values: %d", s.name, ErrModel, len(out))
		}
		for i, at := range s.to {
			values[at] = out[i]
		}
		for _, at := range s.done {
			values[at] = array{}
		}
	}
	outputs := map[string]Tensor{}
	for name, at := range g.outputs {
		a := values[at].rowMajor()
		outputs[name] = Tensor{a.shape, a.data}
	}
	return outputs, nil
}
