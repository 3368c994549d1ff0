package tree

import (
	"encoding/binary"
	"fmt"
	"math"
)

// reader reads parts of a model. After an error it returns zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) fail(format string, arguments ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, arguments...)...)
	}
	r.data = nil
}

// float reads a finite number of 4 or 8 bytes.
func (r *reader) float(size int) float64 {
	if len(r.data) < size {
		r.fail("it ends early")
		return 0
	}
	v := 0.0
	if size == 4 {
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(r.data)))
	} else {
		v = math.Float64frombits(binary.LittleEndian.Uint64(r.data))
	}
	r.data = r.data[size:]
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.fail("it contains %v", v)
		return 0
	}
	return v
}

// integer reads an integer of at most the given value.
func (r *reader) integer(limit int) int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > uint64(limit) { //nolint:gosec // limits are not negative
		r.fail("a number is missing or too great")
		return 0
	}
	r.data = r.data[n:]
	return int(v) //nolint:gosec // at most limit
}

// length reads the number of elements that follow, each of at least size bytes. They are in the data, so that memory for
// them is in proportion to it.
func (r *reader) length(size int) int { return r.integer(len(r.data) / size) }

// tree reads a tree.
func (r *reader) tree(features int) []node {
	n := min(r.length(leastNode), math.MaxInt32)
	if n == 0 {
		r.fail("a tree is empty")
		return nil
	}
	nodes := make([]node, n)
	var open []int32 // nodes whose right child was not read
	for i := range nodes {
		code := r.integer(2*features + 1)
		feature := int32(code/2) - 1 //nolint:gosec // there are at most MaxInt32 features
		nodes[i] = node{value: r.float(4 + 4*(code%2)), feature: feature}
		switch {
		case r.err != nil:
			return nil
		case feature != leaf:
			open = append(open, int32(i)) //nolint:gosec // n is limited
		case len(open) > 0:
			nodes[open[len(open)-1]].right = int32(i + 1) //nolint:gosec // n is limited
			open = open[:len(open)-1]
		case i != n-1:
			r.fail("a tree ends early")
			return nil
		default:
			return nodes
		}
	}
	r.fail("a tree has no end")
	return nil
}
