package exact_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

func TestExpAndLogEqualMath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		x := (r.Float64() - 0.5) * 1400
		if got, want := exact.Exp(x), math.Exp(x); math.Abs(got/want-1) > 1e-15 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
		y := math.Exp(x / 2)
		if got, want := exact.Log(y), math.Log(y); math.Abs(got-want) > 1e-15*math.Abs(want)+1e-16 {
			t.Fatalf("Log(%v) = %v, want %v", y, got, want)
		}
	}
	for _, x := range []float64{1, math.Nextafter(1, 2), math.Nextafter(1, 0), 0x1p-1022, math.MaxFloat64} {
		if got, want := exact.Log(x), math.Log(x); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	if got := exact.Exp(1e300); math.IsInf(got, 0) || got < 1e300 {
		t.Errorf("Exp(1e300) = %v, want a large finite number", got)
	}
	if got := exact.Probability(-1e300); got <= 0 || got > 1e-300 {
		t.Errorf("Probability(-1e300) = %v, want a small positive number", got)
	}
}

func TestDot(t *testing.T) {
	for n := range 13 {
		a, b, origin, want, wantFrom := make([]float64, n), make([]float64, n), make([]float64, n), 0, 0
		for i := range n {
			a[i], b[i], origin[i] = float64(i+1), float64(3*i-7), float64(i%3)
			want += (i + 1) * (3*i - 7)
			wantFrom += (i + 1 - i%3) * (3*i - 7)
		}
		if got := exact.Dot(a, b); got != float64(want) {
			t.Errorf("Dot of %d = %v, want %d", n, got, want)
		}
		if got := exact.DotFrom(origin, a, b); got != float64(wantFrom) {
			t.Errorf("DotFrom of %d = %v, want %d", n, got, wantFrom)
		}
	}
}

// All architectures return the bits whose digest is here: it is that of amd64, and arm64 returns the same.
func TestBits(t *testing.T) {
	r, sum := rand.New(rand.NewPCG(2, 1)), fnv.New64a()
	write := func(x float64) {
		bits := math.Float64bits(x)
		for i := range 8 {
			sum.Write([]byte{byte(bits >> (8 * i))})
		}
	}
	for range 10_000 {
		a, b, c := make([]float64, 7), make([]float64, 7), make([]float64, 7)
		for i := range a {
			a[i], b[i], c[i] = r.Float64(), r.Float64(), r.Float64()
		}
		write(exact.Dot(a, b))
		write(exact.DotFrom(c, a, b))
		write(exact.Exp(float64(a[0]*1400) - 700))
		write(exact.Log(float64(b[0] * 1e9)))
		write(exact.Probability(float64(c[0]*40) - 20))
	}
	if got := sum.Sum64(); got != 0x2028e4e8fd48372d {
		t.Errorf("digest of the results = %#x, want 0x2028e4e8fd48372d", got)
	}
}
