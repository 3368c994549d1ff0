package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

// generate returns fingerprints with about 40 bits, of which some are frequent, as in those of molecules.
func generate(n int, seed uint64) []*fingerprint.Fingerprint {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([]*fingerprint.Fingerprint, n)
	for i := range all {
		f, size := &fingerprint.Fingerprint{}, 0.4+1.2*random.Float64()
		for bit := range fingerprint.Bits {
			if random.Float64() < size*min(0.7, 1.7*math.Pow(float64(bit+1), -0.75)) {
				f.Set(bit * 997 % fingerprint.Bits)
			}
		}
		all[i] = f
	}
	return all
}

// BenchmarkMolecules searches 20,000 molecules.
func BenchmarkMolecules(b *testing.B) {
	m, queries := newMolecules(generate(MaxMolecules, 1)), generate(1000, 2)
	for i := 0; b.Loop(); i++ {
		m.nearest(queries[i%len(queries)], -1)
	}
}

// BenchmarkRows searches 1,000 rows with 200 features.
func BenchmarkRows(b *testing.B) {
	random, x := rand.New(rand.NewPCG(1, 2)), learn.Matrix{Rows: 2 * MaxPoints, Columns: 200}
	for range x.Rows * x.Columns {
		x.Values = append(x.Values, random.NormFloat64())
	}
	all := make([]int, MaxPoints)
	for i := range all {
		all[i] = i
	}
	p := newPoints(x, all)
	for i := 0; b.Loop(); i++ {
		p.nearest(p.standardize(x.Row(MaxPoints+i%MaxPoints)), -1)
	}
}
