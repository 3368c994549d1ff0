package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// column returns a matrix of one column.
func column(values ...float64) learn.Matrix {
	return learn.Matrix{Rows: len(values), Columns: 1, Values: values}
}

func TestBinDistinct(t *testing.T) {
	b := Bin(column(3, 1, 1, 7, 3, -2))
	if want := []float64{-0.5, 2, 5}; !slices.Equal(b.features[0].edges, want) {
		t.Errorf("edges %v, want %v", b.features[0].edges, want)
	}
	if want := []uint8{2, 1, 1, 3, 2, 0}; !slices.Equal(b.column(0), want) {
		t.Errorf("bins %v, want %v", b.column(0), want)
	}
}

// TestBin checks that bins are in order, contain what they say, and are of about equal size.
func TestBin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	sparse := make([]float64, 10_000) // nine of ten are 0
	uniform := make([]float64, 10_000)
	for i := range sparse {
		uniform[i] = random.Float64()
		if v := random.Float64(); v < 0.1 {
			sparse[i] = v
		}
	}
	exactly := make([]float64, MaxBins)
	for i := range exactly {
		exactly[i] = float64(i)
	}
	for _, c := range []struct {
		name     string
		values   []float64
		bins     int
		greatest int // rows of a bin, but of 0
	}{
		{"constant", []float64{4, 4, 4}, 1, 3},
		{"as many as bins", exactly, MaxBins, 1},
		{"one more", append(slices.Clone(exactly), 1000), MaxBins, 2},
		{"uniform", uniform, MaxBins, 40},
		{"sparse", sparse, MaxBins, 5},
		{"extreme", []float64{-math.MaxFloat64, math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0)}, 3, 1},
		{"empty", nil, 0, 0},
	} {
		b := Bin(column(c.values...))
		s := b.features[0]
		if len(s.lower) != c.bins {
			t.Errorf("%s: %d bins", c.name, len(s.lower))
		}
		rows := make([]int, len(s.lower))
		for i, v := range c.values {
			code := b.column(0)[i]
			if v != 0 {
				rows[code]++
			}
			if v < s.lower[code] || v > s.upper[code] {
				t.Fatalf("%s: %v in bin %d", c.name, v, code)
			}
		}
		if len(rows) > 0 && slices.Max(rows) > c.greatest {
			t.Errorf("%s: a bin of %d rows", c.name, slices.Max(rows))
		}
		for i, edge := range s.edges {
			if edge < s.upper[i] || edge >= s.lower[i+1] {
				t.Errorf("%s: edge %v between %v and %v", c.name, edge, s.upper[i], s.lower[i+1])
			}
		}
	}
}
