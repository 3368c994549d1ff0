// Package domain decides whether a model can be expected to predict a record: whether the record is as similar to the nearest
// training row as most training rows are to each other.
package domain

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

// Limits of a Domain. If there are more training rows, those that it contains are sampled.
const (
	MaxMolecules = 20_000
	MaxPoints    = 1_000
)

// outside is the share of the training rows that lie outside the domain of the others.
const outside = 0.05

// Domain is the applicability domain of a model. It is safe for concurrent use.
type Domain struct {
	threshold float64
	molecules *molecules // nil if the training rows are not molecules
	points    *points    // nil if they are
}

// OfMolecules returns the domain of training molecules, whose similarity is that of their fingerprints by Tanimoto. The error is
// that of ctx.
func OfMolecules(ctx context.Context, all []*fingerprint.Fingerprint, seed uint64) (*Domain, error) {
	d := &Domain{molecules: newMolecules(sample(all, MaxMolecules, seed))}
	sorted := d.molecules.all
	return d, d.setThreshold(ctx, len(sorted), func(i int) float64 { return d.molecules.nearest(sorted[i], i) })
}

// OfRows returns the domain of training rows. The similarity of two rows is 1/(1+d/√p), where d is the Euclidean distance of their
// p features, each divided by its standard deviation. The error is that of ctx.
func OfRows(ctx context.Context, x learn.Matrix, seed uint64) (*Domain, error) {
	rows := make([]int, x.Rows)
	for i := range rows {
		rows[i] = i
	}
	d := &Domain{points: newPoints(x, sample(rows, MaxPoints, seed))}
	return d, d.setThreshold(ctx, d.points.len(), func(i int) float64 { return d.points.nearest(d.points.row(i), i) })
}

// Nearest returns the similarity of a record to the nearest training row, from 0 to 1. A record without a fingerprint is not
// similar to molecules. The row is not needed if the training rows are molecules.
func (d *Domain) Nearest(row []float64, f *fingerprint.Fingerprint) float64 {
	switch {
	case d.points != nil:
		return d.points.nearest(d.points.standardize(row), -1)
	case f == nil:
		return 0
	default:
		return d.molecules.nearest(f, -1)
	}
}

// Threshold returns the least similarity of a record inside the domain.
func (d *Domain) Threshold() float64 { return d.threshold }

// Molecules reports whether the similarity is that of molecules.
func (d *Domain) Molecules() bool { return d.molecules != nil }

// Inside reports whether a record with a similarity to the nearest training row is inside the domain.
func (d *Domain) Inside(similarity float64) bool { return similarity >= d.threshold }

// setThreshold sets the threshold by the similarities of n training rows to the nearest other one. It is 0 for fewer than two
// rows.
func (d *Domain) setThreshold(ctx context.Context, n int, nearest func(i int) float64) error {
	if n < 2 {
		return ctx.Err()
	}
	all := make([]float64, n)
	group, ctx := errgroup.WithContext(ctx)
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		group.Go(func() error {
			for i := part; i < n; i += parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				all[i] = nearest(i)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	slices.Sort(all)
	d.threshold = all[int(math.Floor(outside*float64(n)))]
	return nil
}

// sample returns most of the values, in their order, or all if they are not more.
func sample[T any](all []T, most int, seed uint64) []T {
	if len(all) <= most {
		return all
	}
	random := rand.New(rand.NewPCG(seed, sampleStream))
	chosen := random.Perm(len(all))[:most]
	slices.Sort(chosen)
	some := make([]T, most)
	for i, at := range chosen {
		some[i] = all[at]
	}
	return some
}

// sampleStream distinguishes the random numbers of the sample from others of the same seed.
const sampleStream = 0x646f6d61696e
