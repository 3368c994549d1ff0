package tensor

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// file is a TensorFlow.js graph model, reduced to the fields that are used.
type file struct {
	Format        string
	ModelTopology struct{ Node []node }
	Signature     struct {
		Outputs map[string]struct{ Name string }
	}
	WeightsManifest []struct{ Weights []weight }
}

type node struct {
	Name, Op string
	Input    []string
	Attr     map[string]attribute
}

// attribute is the value of an attribute. Only the field of its type is set.
type attribute struct {
	S    []byte
	F    float64
	I    string
	B    bool
	List struct {
		I []string
		S [][]byte
	}
	Shape struct{ Dim []struct{ Size string } }
}

type weight struct {
	Name, Dtype  string
	Shape        []int
	Quantization *struct{ Dtype string }
}

func parse(model []byte) (file, error) {
	var f file
	if err := json.Unmarshal(model, &f); err != nil {
		return f, fmt.Errorf("%w: %w", ErrModel, err)
	}
	if f.Format != "graph-model" {
		return f, fmt.Errorf("%w: unsupported format %q", ErrModel, f.Format)
	}
	return f, nil
}

// constants returns the weights by name.
func (f file) constants(data []byte) (map[string]array, error) {
	constants := map[string]array{}
	for _, group := range f.WeightsManifest {
		for _, w := range group.Weights {
			a, size, err := w.read(data)
			if err != nil {
				return nil, err
			}
			constants[w.Name], data = a, data[size:]
		}
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%w: %d bytes after the last weight", ErrModel, len(data))
	}
	return constants, nil
}

// read decodes the weight at the beginning of data. It returns the weight and its size in bytes.
func (w weight) read(data []byte) (array, int, error) {
	width, value := 0, (func([]byte) float32)(nil)
	switch {
	case w.Dtype == "float32" && w.Quantization == nil:
		width, value = 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case w.Dtype == "float32" && w.Quantization.Dtype == "float16":
		width, value = 2, func(b []byte) float32 { return fromHalf(binary.LittleEndian.Uint16(b)) }
	case w.Dtype == "int32" && w.Quantization == nil:
		width, value = 4, func(b []byte) float32 { return float32(int32(binary.LittleEndian.Uint32(b))) }
	default:
		return array{}, 0, fmt.Errorf("%w: the weight %s has the unsupported type %s", ErrModel, w.Name, w.Dtype)
	}
	a, err := newArrayWithin(len(data)/width, w.Shape)
	if err != nil {
		return array{}, 0, fmt.Errorf("%w: the weight %s of shape %v exceeds the data", ErrModel, w.Name, w.Shape)
	}
	for i := range a.data {
		a.data[i] = value(data[i*width:])
	}
	return a, len(a.data) * width, nil
}

// fromHalf converts a 16-bit number (IEEE 754 binary16).
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero and subnormal numbers
		return float32(math.Copysign(float64(fraction)/(1<<24), float64(1-2*int(h>>15))))
	case 0x1f: // infinities and NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// integers returns an attribute that is a list of integers.
func (n node) integers(name string) ([]int, error) { return n.parsed(name, n.Attr[name].List.I) }

func (n node) parsed(name string, texts []string) ([]int, error) {
	out := make([]int, len(texts))
	for i, text := range texts {
		v, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: %s of %s: %w", ErrModel, name, n.Name, err)
		}
		out[i] = int(v)
	}
	return out, nil
}

// shape returns the shape attribute of a placeholder. An unknown number of pictures, the first
// dimension, is 1.
func (n node) shape() ([]int, error) {
	var sides []string
	for i, dimension := range n.Attr["shape"].Shape.Dim {
		if i == 0 && dimension.Size == "-1" {
			dimension.Size = "1"
		}
		sides = append(sides, dimension.Size)
	}
	return n.parsed("shape", sides)
}
