package axis_test

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/axis"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		n         int
		want      []float64
	}{
		{0, 10, 5, []float64{0, 2, 4, 6, 8, 10}},
		{-3.2, 1.1, 4, []float64{-2, 0}},
		{0.5, 99, 5, []float64{20, 40, 60, 80}},
		{1, 1, 5, nil},
		{2, 1, 5, nil},
		{math.Inf(-1), 1, 5, nil},
		{math.NaN(), 1, 5, nil},
	} {
		if got := axis.Ticks(c.low, c.high, c.n); !slices.Equal(got, c.want) {
			t.Errorf("Ticks(%v, %v, %d) = %v, not %v", c.low, c.high, c.n, got, c.want)
		}
	}
}
