package tensor_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/tensor"
)

// small is a model with one convolution, one computed constant and one sum.
const small = `{"format": "graph-model", "signature": {"outputs": {"out:0": {"name": "out:0"}}},
 "modelTopology": {"node": [
  {"name": "in", "op": "Placeholder", "attr": {"shape": {"shape": {"dim": [{"size": "1"}, {"size": "3"}, {"size": "3"}, {"size": "2"}]}}}},
  {"name": "filter", "op": "Const"}, {"name": "margins", "op": "Const"}, {"name": "bias", "op": "Const"}, {"name": "order", "op": "Const"},
  {"name": "pad", "op": "Pad", "input": ["in", "margins"]},
  {"name": "conv", "op": "Conv2D", "input": ["pad", "filter"], "attr": {"strides": {"list": {"i": ["1", "1", "2", "1"]}}, "padding": {"s": "VkFMSUQ="}}},
  {"name": "twice", "op": "AddV2", "input": ["bias", "bias"]},
  {"name": "add", "op": "Add", "input": ["conv", "twice"]},
  {"name": "out", "op": "Transpose", "input": ["add", "order"]}]},
 "weightsManifest": [{"weights": [
  {"name": "filter", "shape": [2, 2, 2, 3], "dtype": "float32", "quantization": {"dtype": "float16"}},
  {"name": "margins", "shape": [4, 2], "dtype": "int32"},
  {"name": "bias", "shape": [3], "dtype": "float32"},
  {"name": "order", "shape": [4], "dtype": "int32"}]}]}`

// smallWeights contains the weights of small: a filter of ones, padding on the right, biases of 1,
// 2 and -0.5, and a permutation that puts the channels before the rows.
var smallWeights = []byte(strings.Repeat("\x00\x3c", 24) +
	strings.Repeat("\x00", 20) + "\x01\x00\x00\x00" + strings.Repeat("\x00", 8) +
	"\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x00\xbf" +
	"\x00\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00")

// TestSmallModel runs a model whose result can be computed by hand.
func TestSmallModel(t *testing.T) {
	g, err := tensor.Load([]byte(small), smallWeights)
	if err != nil {
		t.Fatal(err)
	}
	in := tensor.Tensor{Shape: []int{1, 3, 3, 2}}
	for i := range 18 {
		in.Data = append(in.Data, float32(i))
	}
	out, err := g.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	// The sums of windows: columns 0 and 1, then 2 and the padding, of rows 0 and 1, then 1 and 2.
	var want []float32
	for _, bias := range []float32{2, 4, -1} {
		want = append(want, 36+bias, 30+bias, 84+bias, 54+bias)
	}
	if got := out["out"]; !slices.Equal(got.Shape, []int{1, 3, 2, 2}) || !slices.Equal(got.Data, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestMalformed checks that a damaged model is rejected with the reason.
func TestMalformed(t *testing.T) {
	for name, change := range map[string][2]string{
		"not JSON":                      {`"format"`, `format`},
		"unsupported format":            {`graph-model`, `layers-model`},
		"unknown operation":             {`"Conv2D"`, `"Conv3D"`},
		"unknown input":                 {`["pad", "filter"]`, `["pads", "filter"]`},
		"dependency cycle":              {`["in", "margins"]`, `["out", "margins"]`},
		"no second value":               {`["in", "margins"]`, `["in:1", "margins"]`},
		"no weights":                    {`{"name": "bias", "shape"`, `{"name": "base", "shape"`},
		"unsupported type":              {`"dtype": "float32"}`, `"dtype": "string"}`},
		"weight that is too large":      {`[2, 2, 2, 3]`, `[2, 2, 2, 3000000000]`},
		"negative shape":                {`[2, 2, 2, 3]`, `[2, -2, -2, 3]`},
		"rank that is too low":          {`[2, 2, 2, 3]`, `[2, 2, 6]`},
		"unknown padding":               {`VkFMSUQ=`, `VkFM`},
		"stride of zero":                {`["1", "1", "2", "1"]`, `["1", "0", "2", "1"]`},
		"stride that is not a number":   {`["1", "1", "2", "1"]`, `["1", "one", "2", "1"]`},
		"unknown size":                  {`{"size": "2"}`, `{"size": "-1"}`},
		"no output":                     {`"out:0": {"name": "out:0"}`, ``},
		"shapes that do not match":      {`"shape": [3], "dtype": "float32"`, `"shape": [1, 1, 1, 1, 3], "dtype": "float32"`},
		"permutation of the wrong rank": {`"shape": [4], "dtype"`, `"shape": [2, 2], "dtype"`},
	} {
		model := strings.Replace(small, change[0], change[1], 1)
		if model == small {
			t.Errorf("%s: the replacement does not occur in the model", name)
		}
		g, err := tensor.Load([]byte(model), smallWeights)
		if err == nil { // detected when the operation reads its input
			_, err = g.Run(t.Context(), tensor.Tensor{Shape: []int{1, 3, 3, 2}, Data: make([]float32, 18)})
		}
		if !errors.Is(err, tensor.ErrModel) {
			t.Errorf("%s: got %v, want ErrModel", name, err)
		}
	}
	for name, weights := range map[string][]byte{"truncated": smallWeights[:60], "longer": append(bytes.Clone(smallWeights), 0)} {
		if _, err := tensor.Load([]byte(small), weights); !errors.Is(err, tensor.ErrModel) {
			t.Errorf("weights %s: got %v, want ErrModel", name, err)
		}
	}
	g, err := tensor.Load([]byte(small), smallWeights)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(t.Context(), tensor.Tensor{Shape: []int{1, 3, 3, 2}, Data: make([]float32, 17)}); !errors.Is(err, tensor.ErrModel) {
		t.Errorf("with an input that is too short: got %v, want ErrModel", err)
	}
}

// TestDamaged checks that loading and running a model in which one digit is replaced returns a
// result or ErrModel.
func TestDamaged(t *testing.T) {
	model, weights := unpacked(t, "../cutout/selfie.json"), unpacked(t, "../cutout/selfie.bin")
	var digits []int
	for i, c := range model {
		if c >= '0' && c <= '9' {
			digits = append(digits, i)
		}
	}
	random, in, refused := rand.New(rand.NewPCG(3, 4)), input(1, 256, 256, 3), 0
	for range 40 {
		damaged, at := bytes.Clone(model), digits[random.IntN(len(digits))]
		damaged[at] = '0' + byte(random.IntN(10))
		g, err := tensor.Load(damaged, weights)
		if err == nil && refused%2 == 1 { // only while this count is odd, to save time
			_, err = g.Run(t.Context(), in)
		}
		if err != nil {
			refused++
		}
		if err != nil && !errors.Is(err, tensor.ErrModel) {
			t.Errorf("byte %d as %c: got %v, want ErrModel", at, damaged[at], err)
		}
	}
	if refused == 0 {
		t.Error("got 0 rejected models, want at least 1")
	}
}

// TestCanceled checks that a run stops when its context is canceled.
func TestCanceled(t *testing.T) {
	why := errors.New("the attempt took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := load(t, "../cutout/selfie").Run(ctx, input(1, 256, 256, 3)); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}

// FuzzLoad checks that loading and running any files returns a result or ErrModel.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(small), smallWeights)
	f.Fuzz(func(t *testing.T, model, weights []byte) {
		g, err := tensor.Load(model, weights)
		if err == nil {
			_, err = g.Run(t.Context(), tensor.Tensor{Shape: []int{1, 3, 3, 2}, Data: make([]float32, 18)})
		}
		if err != nil && !errors.Is(err, tensor.ErrModel) {
			t.Errorf("got error %v, want nil or ErrModel", err)
		}
	})
}
