package tensor

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKernelsAgree checks that the kernels of this processor return exactly the results of the portable ones.
func TestKernelsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(random.NormFloat64())
		}
		return out
	}
	for _, k := range []int{1, 2, 3, 27, 64, 384} {
		for _, stride := range []int{0, 1, k, k + 5} {
			a, b := numbers(3*stride+k), numbers(k*tileColumns)
			start := tile(numbers(tileRows * tileColumns))
			want, got := start, start
			multiplyPortable(k, a, stride, b, &want)
			fastest().multiply(k, a, stride, b, &got)
			if got != want {
				t.Errorf("k %d, stride %d: got %v, want %v", k, stride, got, want)
			}
			var exact float64
			for p := range k {
				exact += float64(a[stride+p]) * float64(b[p*tileColumns+7])
			}
			if sum := float64(want[tileColumns+7] - start[tileColumns+7]); sum-exact > 1e-3 || exact-sum > 1e-3 {
				t.Errorf("k %d, stride %d: got sum %v, want %v", k, stride, sum, exact)
			}
		}
	}
	for _, n := range []int{0, 1, 7, 8, 9, 16, 67} {
		a, b, want := numbers(n), numbers(n), numbers(n)
		got := slices.Clone(want)
		accumulatePortable(want, a, b)
		if fastest().accumulate(got, a, b); !slices.Equal(got, want) {
			t.Errorf("%d numbers: got %v, want %v", n, got, want)
		}
		positivePortable(want)
		if fastest().positive(got); !slices.Equal(got, want) {
			t.Errorf("positive of %d numbers: got %v, want %v", n, got, want)
		}
	}
}
