package sentiment

import (
	"math"
	"strconv"
	"testing"
)

// strconv rounds by the exact binary value, half to even, as Python does.
func TestRoundIsExact(t *testing.T) {
	for decimals, scale := range map[int]float64{3: 1e3, 4: 1e4, 5: 1e5} {
		for n := range int(scale) {
			middle := (float64(n) + 0.5) / scale
			for _, x := range []float64{middle, math.Nextafter(middle, 0), math.Nextafter(middle, 1), -middle} {
				want, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
				if err != nil {
					t.Fatal(err)
				}
				if got := round(x, scale); got != want {
					t.Fatalf("round(%v, %v) = %v, want %v", x, scale, got, want)
				}
			}
		}
	}
}
