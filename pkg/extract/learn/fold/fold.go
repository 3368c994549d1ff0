// Package fold splits data for cross-validation.
package fold

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Errors of [Split].
var (
	ErrGroups  = errors.New("fewer groups of rows than folds")
	ErrClasses = errors.New("too few rows or groups of a value for as many folds")
)

// group is rows that stay in one fold.
type group struct {
	rows    []int
	classes [2]int // rows of each value; all of the first for Regression
}

// Split returns the fold of each row of d, from 0 below k, which is at least 2. Rows of one group are in one fold. The numbers
// of rows of the folds, and for Classification those of each value, are as equal as groups permit: they differ by at most 1
// if all groups have one row. The result depends on the data and the seed only.
//
// Split returns [ErrGroups] if there are fewer groups than folds, and [ErrClasses] if the rows of a value are in fewer groups
// than folds, or if no way was found to have both values in each fold.
func Split(k int, d learn.Data, seed uint64) ([]int, error) {
	if k < 2 {
		return nil, fmt.Errorf("%d folds, want at least 2", k)
	}
	if len(d.Y) != d.X.Rows || d.Groups != nil && len(d.Groups) != d.X.Rows {
		return nil, fmt.Errorf("%d values to predict and %d groups of %d rows", len(d.Y), len(d.Groups), d.X.Rows)
	}
	groups, total := grouped(d)
	if len(groups) < k {
		return nil, fmt.Errorf("%d groups for %d folds: %w", len(groups), k, ErrGroups)
	}
	if d.Task == learn.Classification {
		for class := range total {
			n := 0
			for _, g := range groups {
				if g.classes[class] > 0 {
					n++
				}
			}
			if n < k {
				return nil, fmt.Errorf("%d groups with the value %d for %d folds: %w", n, class, k, ErrClasses)
			}
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	// Large groups first, so that small ones even out. Groups of one value follow each other, so that both the rows of a
	// value and all rows are spread evenly.
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(len(b.rows)-len(a.rows), a.classes[1]-b.classes[1])
	})
	folds, sizes := make([]int, d.X.Rows), make([][2]int, k)
	for _, g := range groups {
		best := 0
		for f := 1; f < k; f++ {
			if less(g, sizes[f], sizes[best], total) {
				best = f
			}
		}
		for _, row := range g.rows {
			folds[row] = best
		}
		sizes[best][0] += g.classes[0]
		sizes[best][1] += g.classes[1]
	}
	for _, size := range sizes {
		if d.Task == learn.Classification && (size[0] == 0 || size[1] == 0) {
			return nil, fmt.Errorf("%d folds with both values: %w", k, ErrClasses)
		}
	}
	return folds, nil
}

// grouped returns the groups in the order of their first rows, and the number of rows of each value.
func grouped(d learn.Data) (groups []group, total [2]int) {
	index := map[int]int{}
	for row := range d.X.Rows {
		i := len(groups)
		if d.Groups != nil {
			if known, ok := index[d.Groups[row]]; ok {
				i = known
			}
			index[d.Groups[row]] = i
		}
		if i == len(groups) {
			groups = append(groups, group{})
		}
		class := 0
		if d.Task == learn.Classification && d.Y[row] == 1 {
			class = 1
		}
		groups[i].rows = append(groups[i].rows, row)
		groups[i].classes[class]++
		total[class]++
	}
	return groups, total
}

// less reports whether a fold of sizes a has less of what g has than one of sizes b: of the shares of the values, or else of
// all rows.
func less(g group, a, b, total [2]int) bool {
	// a.classes[0]/total[0]*g.classes[0] + …, without division
	load := func(size [2]int) int {
		return g.classes[0]*size[0]*max(total[1], 1) + g.classes[1]*size[1]*max(total[0], 1)
	}
	return cmp.Or(cmp.Compare(load(a), load(b)), cmp.Compare(a[0]+a[1], b[0]+b[1])) < 0
}
