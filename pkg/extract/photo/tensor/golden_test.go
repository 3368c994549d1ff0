package tensor_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

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

func load(t testing.TB, path string) *tensor.Graph {
	t.Helper()
	model, err := os.ReadFile(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(path + ".bin")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := tensor.Load(model, weights)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// TestOutputsOfTensorFlow checks that both models compute the same values as TensorFlow.js, except
// for differences of at most 1e-5 (relative for values above 1), which result from adding up to
// 2,304 products in another order.
func TestOutputsOfTensorFlow(t *testing.T) {
	for model, in := range map[string]tensor.Tensor{"objects/nanodet": input(1, 3, 416, 416), "cutout/selfie": input(1, 256, 256, 3)} {
		out, err := load(t, "../"+model).Run(t.Context(), in)
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
			if difference > 1e-5 {
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
	for model, in := range map[string]tensor.Tensor{"objects/nanodet": input(1, 3, 416, 416), "cutout/selfie": input(1, 256, 256, 3)} {
		b.Run(model, func(b *testing.B) {
			graph := load(b, "../"+model)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graph.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
