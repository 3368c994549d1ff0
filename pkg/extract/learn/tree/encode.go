package tree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// The format of a model, numbers in little-endian order:
//
//	magic "tree", version 1, kind, task     4 + 1 + 1 + 1 bytes
//	base                                    float64
//	number of features                      uvarint
//	importance of each feature              float64 each
//	number of trees                         uvarint
//	of each tree: number of nodes           uvarint
//	    of each node: 2 × (feature + 1)     uvarint; 0 instead of feature + 1 for a leaf; plus 1 for a float64
//	        value                           float32 or float64
//	CRC-32C of all that                     4 bytes
//
// The left child of a node follows it, and the right child follows the last node under the left one.
const (
	magic   = "tree"
	version = 1
)

// tasks are the tasks by their codes.
func tasks() []learn.Task { return []learn.Task{1: learn.Regression, 2: learn.Classification} }

// ErrDamaged is the error for bytes that are not a model of this kind.
var ErrDamaged = errors.New("the model is damaged")

// MarshalBinary implements [encoding.BinaryMarshaler].
func (e *ensemble) MarshalBinary() ([]byte, error) {
	nodes := 0
	for _, t := range e.trees {
		nodes += len(t)
	}
	data := make([]byte, 0, 64+8*len(e.importance)+7*nodes+3*len(e.trees))
	data = append(data, magic...)
	data = append(data, version, byte(e.kind))
	for code, t := range tasks() {
		if t == e.task && code > 0 {
			data = append(data, byte(code))
		}
	}
	data = appendFloat(data, e.base)
	data = binary.AppendUvarint(data, uint64(len(e.importance)))
	for _, v := range e.importance {
		data = appendFloat(data, v)
	}
	data = binary.AppendUvarint(data, uint64(len(e.trees)))
	for _, t := range e.trees {
		data = binary.AppendUvarint(data, uint64(len(t)))
		for _, n := range t {
			code := 2 * uint64(n.feature+1) //nolint:gosec // at least 0
			if short := float32(n.value); float64(short) == n.value {
				data = binary.AppendUvarint(data, code)
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(short))
			} else {
				data = binary.AppendUvarint(data, code+1)
				data = appendFloat(data, n.value)
			}
		}
	}
	return binary.LittleEndian.AppendUint32(data, checksum(data)), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It returns [ErrDamaged] for data that is not a forest.
func (f *Forest) UnmarshalBinary(data []byte) error { return f.decode(data, kindForest) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It returns [ErrDamaged] for data that is not a boosting model.
func (m *Boosting) UnmarshalBinary(data []byte) error { return m.decode(data, kindBoosting) }

func appendFloat(data []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// decode sets a model of the wanted kind. On errors it leaves the model as it was.
func (e *ensemble) decode(data []byte, wanted kind) error {
	const trailer = 4
	if len(data) < len(magic)+3+trailer {
		return fmt.Errorf("%w: %d bytes", ErrDamaged, len(data))
	}
	body, sum := data[:len(data)-trailer], binary.LittleEndian.Uint32(data[len(data)-trailer:])
	switch {
	case string(body[:len(magic)]) != magic:
		return fmt.Errorf("%w: it does not start with %q", ErrDamaged, magic)
	case body[len(magic)] != version:
		return fmt.Errorf("%w: version %d", ErrDamaged, body[len(magic)])
	case checksum(body) != sum:
		return fmt.Errorf("%w: wrong checksum", ErrDamaged)
	case kind(body[len(magic)+1]) != wanted:
		return fmt.Errorf("%w: it is of kind %d", ErrDamaged, body[len(magic)+1])
	}
	task := int(body[len(magic)+2])
	if task == 0 || task >= len(tasks()) {
		return fmt.Errorf("%w: task %d", ErrDamaged, task)
	}
	m := ensemble{kind: wanted, task: tasks()[task]}
	r := reader{data: body[len(magic)+3:]}
	m.base = r.float(8)
	m.importance = make([]float64, min(r.length(8), math.MaxInt32))
	for i := range m.importance {
		if m.importance[i] = r.float(8); m.importance[i] < 0 {
			r.fail("an importance is negative")
		}
	}
	m.trees = make([][]node, r.length(1+leastNode))
	for i := range m.trees {
		m.trees[i] = r.tree(len(m.importance))
	}
	switch {
	case r.err != nil:
		return r.err
	case len(r.data) > 0:
		return fmt.Errorf("%w: %d bytes after its end", ErrDamaged, len(r.data))
	case len(m.trees) == 0:
		return fmt.Errorf("%w: it has no trees", ErrDamaged)
	}
	*e = m
	return nil
}

// leastNode is the least number of bytes of a node.
const leastNode = 5
