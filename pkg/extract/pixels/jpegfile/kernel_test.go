package jpegfile

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestTransformsAreEquivalent compares the transforms for this processor with the portable ones, also for coefficients that no
// picture has.
func TestTransformsAreEquivalent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const stride = 24
	samples := make([]byte, 8*stride)
	for n := range 2000 {
		for i := range samples {
			samples[i] = byte(random.UintN(256))
			if n%2 == 1 {
				samples[i] = byte(random.UintN(2) * 255)
			}
		}
		var got, want [64]int32
		forward(&got, samples[5:], stride)
		forwardPortable(&want, samples[5:], stride)
		if got != want {
			t.Fatalf("forward: got %v, want %v", got, want)
		}
		for i := range got {
			got[i] = int32(random.Uint32()) >> (n % 32)
		}
		want = got
		for _, precision := range []int{8, 12} {
			from, again := got, want
			fast, slow := make([]byte, 8*stride), make([]byte, 8*stride)
			block(&from, fast[5:], stride, precision)
			blockPortable(&again, slow[5:], stride, precision)
			if !bytes.Equal(fast, slow) {
				t.Fatalf("inverse with %d bits of %v: got %v, want %v", precision, got, fast, slow)
			}
		}
	}
}
