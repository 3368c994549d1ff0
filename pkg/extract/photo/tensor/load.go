package tensor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	embedded "github.com/assay-project/assay/pkg/extract/packed"
)

// Unpack is like Load, for files that are compressed with Brotli.
func Unpack(packedModel, packedWeights []byte, outputs ...string) (*Graph, error) {
	model, err := embedded.Brotli(packedModel, nil)
	if err != nil {
		return nil, err
	}
	weights, err := embedded.Brotli(packedWeights, nil)
	if err != nil {
		return nil, err
	}
	return Load(model, weights, outputs...)
}

// Load returns the graph of a model, given as its JSON file and its weights. It computes the named outputs, or all outputs
// of the model if none is named. The error is ErrModel with the reason.
func Load(model, weights []byte, outputs ...string) (*Graph, error) {
	f, err := parse(model)
	if err != nil {
		return nil, err
	}
	constants, err := f.constants(weights)
	if err != nil {
		return nil, err
	}
	b := builder{nodes: map[string]node{}, constants: constants, at: map[string]int{}, graph: &Graph{outputs: map[string]int{}}, kernels: fastest()}
	for _, n := range f.ModelTopology.Node {
		b.nodes[n.Name] = n
	}
	b.graph.values = []array{{}} // the input is value 0
	if len(outputs) == 0 {
		for name := range f.Signature.Outputs {
			outputs = append(outputs, strings.TrimSuffix(name, ":0"))
		}
	}
	for _, name := range outputs {
		if b.graph.outputs[name], err = b.value(name, nil); err != nil {
			return nil, err
		}
	}
	if b.graph.shape == nil || len(b.graph.outputs) == 0 {
		return nil, fmt.Errorf("%w: the graph has no input or no output", ErrModel)
	}
	b.graph.release()
	return b.graph, nil
}

// builder converts nodes to steps in dependency order.
type builder struct {
	nodes     map[string]node
	constants map[string]array
	at        map[string]int // indexes of values, by name
	graph     *Graph
	kernels   kernels
}

// value returns the index of a value, "node" or "node:1". waiting lists the nodes that depend on
// it.
func (b *builder) value(name string, waiting []string) (int, error) {
	if at, ok := b.at[name]; ok {
		return at, nil
	}
	name, part, _ := strings.Cut(name, ":")
	n, ok := b.nodes[name]
	if !ok || slices.Contains(waiting, name) {
		return 0, fmt.Errorf("%w: the node %q is missing or depends on itself", ErrModel, name)
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
	return 0, fmt.Errorf("%w: unknown value %q", ErrModel, name)
}

// add adds the values of a node, and a step that computes them if they are not constant.
func (b *builder) add(n node, waiting []string) error {
	switch n.Op {
	case "Placeholder":
		shape, err := n.shape()
		if err != nil || b.graph.shape != nil {
			return errors.Join(fmt.Errorf("%w: invalid input", ErrModel), err)
		}
		if _, err := newArray(shape...); err != nil {
			return err
		}
		b.graph.shape, b.at[n.Name] = shape, 0
		return nil
	case "Const":
		constant, ok := b.constants[n.Name]
		if !ok {
			return fmt.Errorf("%w: its weights are missing", ErrModel)
		}
		b.keep(n, []array{constant})
		return nil
	}
	d := definition{node: n, kernels: b.kernels, known: make([]*array, len(n.Input)), taken: make([]bool, len(n.Input))}
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
	s.to = b.keep(n, make([]array, 1))
	b.graph.steps = append(b.graph.steps, s)
	return nil
}

// keep stores values under the name of a node.
func (b *builder) keep(n node, values []array) (at []int) {
	for i, value := range values {
		if value.data != nil && value.shape == nil {
			value.shape = []int{} // a scalar; a nil shape means unknown
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

// release drops the constants that no step needs, and records after which step each value is last
// used.
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
