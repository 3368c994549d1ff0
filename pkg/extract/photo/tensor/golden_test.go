package tensor_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/photo/tensor"
)

// figure matches the function of this name in testdata/oracle.js.
func figure(side, y, x, c int) float32 {
	u, v := x*256/side-128, y*256/side
	colors := [3]int{90 + v>>2, 130, 170 - v>>3}
	if u*u+(v-260)*(v-260) < 105*105 {
		colors = [3]int{40, 60, 120}
	}
	if u*u*9+(v-88)*(v-88)*5 < 18000 {
		colors = [3]int{50, 35, 25}
	}
	if u*u*9+(v-100)*(v-100)*5 < 13000 {
		colors = [3]int{224, 172, 140}
	}
	if abs(abs(u)-16) < 6 && abs(v-92) < 3 || abs(u) < 13 && abs(v-124) < 3 {
		colors = [3]int{90, 40, 40}
	}
	return float32(colors[c]+(x*7+y*13+c*5)&15) / 256
}

func abs(v int) int { return max(v, -v) }

func input(shape ...int) tensor.Tensor {
	in := tensor.Tensor{Shape: shape}
	for i := range shape[1] {
		for j := range shape[2] {
			for k := range shape[3] {
				if shape[1] == 3 {
					in.Data = append(in.Data, figure(shape[2], j, k, i))
				} else {
					in.Data = append(in.Data, figure(shape[2], i, j, k))
				}
			}
		}
	}
	return in
}

func load(t testing.TB, path string, outputs ...string) *tensor.Graph {
	t.Helper()
	graph, err := tensor.Load(unpacked(t, path+".json"), unpacked(t, path+".bin"), outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// unpacked returns a file of a model.
func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path + ".br")
	if err != nil {
		t.Fatal(err)
	}
	content, err := packed.Brotli(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// models lists the models with the shapes of their inputs and the outputs that are used.
var models = []struct {
	name    string
	shape   [4]int
	outputs []string
	within  float64 // maximum difference from TensorFlow.js, relative for values above 1
}{
	{"faces/blazeface", [4]int{1, 192, 192, 3}, []string{"Identity"}, 5e-5},
	{"cutout/selfie", [4]int{1, 256, 256, 3}, nil, 1e-5},
}

// TestOutputsOfTensorFlow checks that the models compute the same values as TensorFlow.js, except
// for small differences, which result from adding products in another order.
func TestOutputsOfTensorFlow(t *testing.T) {
	for _, m := range models {
		model := m.name
		out, err := load(t, "../"+model, m.outputs...).Run(t.Context(), input(m.shape[:]...))
		if err != nil {
			t.Fatal(err)
		}
		golden, err := os.ReadFile("testdata/" + model[strings.Index(model, "/")+1:] + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		worst, n := 0.0, 0
		for line := range strings.Lines(string(golden)) {
			var name string
			var at int
			var want float64
			if _, err := fmt.Sscan(line, &name, &at, &want); err != nil {
				t.Fatal(err)
			}
			got := float64(out[name].Data[at])
			difference := math.Abs(got-want) / max(1, math.Abs(want))
			if difference > m.within {
				t.Errorf("%s: got %s[%d] = %v, want %v", model, name, at, got, want)
			}
			worst, n = max(worst, difference), n+1
		}
		if n < 256 {
			t.Errorf("%s: got %d values, want at least 256", model, n)
		}
		t.Logf("%s: %d values differ by at most %.1e", model, n, worst)
	}
}

// BenchmarkRun runs each model on one picture.
func BenchmarkRun(b *testing.B) {
	for _, m := range models {
		b.Run(m.name, func(b *testing.B) {
			graph, in := load(b, "../"+m.name, m.outputs...), input(m.shape[:]...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graph.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
