// Package tensor runs small neural networks that are stored as TensorFlow.js graph
// models, on one goroutine and with the same result on every processor.
//
// It knows the operations that the models of package local need, for one picture at a
// time. A model with another operation, or another variant of one, is not loaded.
package tensor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrModel is returned for a model that cannot be run, and for an input that does not
// fit it.
var ErrModel = errors.New("the model is invalid or not supported")

// Tensor is an array of numbers in row-major order: the last dimension is contiguous.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Graph is a model that is ready to run. It is safe for concurrent use.
type Graph struct {
	shape   []int // of the input
	steps   []step
	values  []array // what is constant
	outputs map[string]int
}

// step computes some values from others.
type step struct {
	name     string
	run      operation
	from, to []int // positions of values
	done     []int // those that no later step needs
}

// operation computes values. It does not change its input.
type operation func(in []array) ([]array, error)

func unary(f func(array) (array, error)) operation {
	return func(in []array) ([]array, error) {
		if len(in) != 1 {
			return nil, fmt.Errorf("%w: %d inputs", ErrModel, len(in))
		}
		out, err := f(in[0])
		return []array{out}, err
	}
}

// definition is a node with the inputs that are known when the model is loaded.
type definition struct {
	node
	known    []*array // nil for those that are not
	taken    []bool   // by the operation, which does not get them when it runs
	multiply kernel
}

// constant returns an input, which must be constant and of a rank.
func (d definition) constant(i, rank int) (array, error) {
	if i >= len(d.known) || d.known[i] == nil || len(d.known[i].shape) != rank {
		return array{}, fmt.Errorf("%w: input %d is no constant of rank %d", ErrModel, i, rank)
	}
	d.taken[i] = true
	return *d.known[i], nil
}

// operation returns what the node does.
func (d definition) operation() (operation, error) {
	switch d.Op {
	case "Identity":
		return unary(func(a array) (array, error) { return a, nil }), nil
	case "Add", "AddV2", "AddN":
		return combine(add, addScalar), nil
	case "Mul":
		return combine(times, timesScalar), nil
	case "Relu":
		return each(relu), nil
	case "Relu6":
		return each(relu6), nil
	case "Sigmoid":
		return each(sigmoid), nil
	case "LeakyRelu":
		return leakyRelu(d)
	case "Conv2D":
		return convolution(d)
	case "DepthwiseConv2dNative":
		return depthwise(d)
	case "Conv2DBackpropInput":
		return transposedConvolution(d)
	case "ResizeBilinear":
		return resize(d)
	case "MaxPool":
		return pool(d, false)
	case "AvgPool":
		return pool(d, true)
	case "Pad", "PadV2":
		return padding(d)
	case "Transpose":
		return transpose(d)
	case "Reshape":
		return reshape, nil
	case "ConcatV2":
		return concatenation, nil
	case "SplitV":
		return split, nil
	case "SparseToDense":
		return sparse, nil
	}
	return nil, fmt.Errorf("%w: the operation %s", ErrModel, d.Op)
}

// Load returns the graph of a model: the JSON file, and the weights that belong to it.
// The error is ErrModel, with the reason.
func Load(model, weights []byte) (*Graph, error) {
	return load(model, weights, fastest())
}

func load(model, weights []byte, multiply kernel) (*Graph, error) {
	f, err := parse(model)
	if err != nil {
		return nil, err
	}
	constants, err := f.constants(weights)
	if err != nil {
		return nil, err
	}
	b := builder{nodes: map[string]node{}, constants: constants, at: map[string]int{}, graph: &Graph{outputs: map[string]int{}}, multiply: multiply}
	for _, n := range f.ModelTopology.Node {
		b.nodes[n.Name] = n
	}
	b.graph.values = []array{{}} // the input is the first
	for name := range f.Signature.Outputs {
		name = strings.TrimSuffix(name, ":0")
		if b.graph.outputs[name], err = b.value(name, nil); err != nil {
			return nil, err
		}
	}
	if b.graph.shape == nil || len(b.graph.outputs) == 0 {
		return nil, fmt.Errorf("%w: no input or no output", ErrModel)
	}
	b.graph.release()
	return b.graph, nil
}

// builder turns nodes into steps, those first that others need.
type builder struct {
	nodes     map[string]node
	constants map[string]array
	at        map[string]int // of values, by name
	graph     *Graph
	multiply  kernel
}

// value returns the position of a value, "node" or "node:1". Waiting are the nodes that
// need it.
func (b *builder) value(name string, waiting []string) (int, error) {
	if at, ok := b.at[name]; ok {
		return at, nil
	}
	name, part, _ := strings.Cut(name, ":")
	n, ok := b.nodes[name]
	if !ok || slices.Contains(waiting, name) {
		return 0, fmt.Errorf("%w: no node %q that does not need itself", ErrModel, name)
	}
	if err := b.add(n, append(waiting, name)); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if part != "" && part != "0" {
		name += ":" + part
	}
	if at, ok := b.at[name]; ok {
		return at, nil
	}
	return 0, fmt.Errorf("%w: no value %q", ErrModel, name)
}

// add adds the values of a node, and the step for them if they are not constant.
func (b *builder) add(n node, waiting []string) error {
	switch n.Op {
	case "Placeholder":
		shape, err := n.shape()
		if err != nil || b.graph.shape != nil {
			return errors.Join(fmt.Errorf("%w: the input", ErrModel), err)
		}
		if _, err := newArray(shape...); err != nil {
			return err
		}
		b.graph.shape, b.at[n.Name] = shape, 0
		return nil
	case "Const":
		constant, ok := b.constants[n.Name]
		if !ok {
			return fmt.Errorf("%w: it has no weights", ErrModel)
		}
		b.keep(n, []array{constant})
		return nil
	}
	d := definition{node: n, multiply: b.multiply, known: make([]*array, len(n.Input)), taken: make([]bool, len(n.Input))}
	from := make([]int, len(n.Input))
	for i, input := range n.Input {
		at, err := b.value(input, waiting)
		if err != nil {
			return err
		}
		if a := b.graph.values[at]; a.shape != nil {
			d.known[i] = &a
		}
		from[i] = at
	}
	run, err := d.operation()
	if err != nil {
		return err
	}
	s := step{name: n.Name, run: run}
	var in []array
	for i, at := range from {
		if !d.taken[i] {
			s.from = append(s.from, at)
			in = append(in, b.graph.values[at])
		}
	}
	if len(in) > 0 && !slices.ContainsFunc(in, func(a array) bool { return a.shape == nil }) {
		out, err := run(in)
		if err == nil {
			b.keep(n, out)
		}
		return err
	}
	parts := 1
	if n.Op == "SplitV" {
		if parts, err = strconv.Atoi(n.Attr["num_split"].I); err != nil || parts < 1 || parts > 100 {
			return fmt.Errorf("%w: %q parts", ErrModel, n.Attr["num_split"].I)
		}
	}
	s.to = b.keep(n, make([]array, parts))
	b.graph.steps = append(b.graph.steps, s)
	return nil
}

// keep adds values under the name of a node.
func (b *builder) keep(n node, values []array) (at []int) {
	for i, value := range values {
		if value.data != nil && value.shape == nil {
			value.shape = []int{} // a scalar; nil is for what is not known
		}
		name := n.Name
		if i > 0 {
			name = fmt.Sprintf("%s:%d", n.Name, i)
		}
		b.at[name] = len(b.graph.values)
		at = append(at, len(b.graph.values))
		b.graph.values = append(b.graph.values, value)
	}
	return at
}

// release drops the constants that no step needs, and determines the last step that
// needs each value.
func (g *Graph) release() {
	needed := make([]bool, len(g.values))
	for _, at := range g.outputs {
		needed[at] = true
	}
	for i, s := range slices.Backward(g.steps) {
		for _, at := range s.from {
			if !needed[at] {
				needed[at] = true
				g.steps[i].done = append(g.steps[i].done, at)
			}
		}
	}
	for at := range g.values {
		if !needed[at] {
			g.values[at] = array{}
		}
	}
}

// Run returns the outputs of the model for an input, by name. It stops between two
// steps when the context ends, with its cause. Another error is ErrModel.
func (g *Graph) Run(ctx context.Context, input Tensor) (map[string]Tensor, error) {
	values := slices.Clone(g.values)
	n := 1
	for _, side := range g.shape {
		n *= side
	}
	if !slices.Equal(input.Shape, g.shape) || len(input.Data) != n {
		return nil, fmt.Errorf("%w: an input of %d numbers in %v, want %v", ErrModel, len(input.Data), input.Shape, g.shape)
	}
	values[0] = array{g.shape, inOrder(len(g.shape)), input.Data}
	for _, s := range g.steps {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out, err := s.run(permutedArrays(values, s.from))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if len(out) != len(s.to) {
			return nil, fmt.Errorf("%s: %w: %d values", s.name, ErrModel, len(out))
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

func permutedArrays(values []array, positions []int) []array {
	out := make([]array, len(positions))
	for i, at := range positions {
		out[i] = values[at]
	}
	return out
}
