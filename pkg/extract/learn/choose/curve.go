package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Point is a point of a learning curve.
type Point struct {
	Share         float64 `json:"share"`         // of the rows that could be learned from, above 0 to 1
	Rows          int     `json:"rows"`          // that were learned from, the mean of the folds
	Score         float64 `json:"score"`         // of the rows of the other folds, the mean of the folds, as [Candidate]
	StandardError float64 `json:"standardError"` // of that score
	Train         float64 `json:"train"`         // score of the rows that were learned from, the mean of the folds
	Folds         int     `json:"folds"`         // folds that have a score; the learner failed in the others
}

// Curve returns the learning curve of a learner: its scores in cross-validation if it learns from a share of the rows only, one
// point for each of the shares from 0 to 1, in their order. Groups are left out as a whole, and for Classification as many of
// each value; the rows of a smaller share are among those of a larger one. Shares for which the learner fails in all folds have
// no point; if that are all of them, Curve returns an error. It returns the cause of ctx if that is done.
func Curve(ctx context.Context, d learn.Data, folds []int, l learn.Learner, shares []float64, seed uint64) ([]Point, error) {
	k, err := count(d, folds)
	if err != nil {
		return nil, err
	}
	for _, share := range shares {
		if !(share > 0 && share <= 1) {
			return nil, fmt.Errorf("share %v of a learning curve, want one above 0, up to 1", share)
		}
	}
	results, rows := make([][]result, len(shares)), make([][]int, len(shares))
	for s := range shares {
		results[s], rows[s] = make([]result, k), make([]int, k)
	}
	err = each(ctx, k, func(ctx context.Context, fold int) error {
		train, test := divide(folds, fold)
		predicted := make([]float64, d.X.Rows)
		train = shuffled(d, train, rand.New(rand.NewPCG(seed, uint64(fold))))
		for s, share := range shares {
			part := part(d, train, share)
			r, err := measure(ctx, d, l, part, test, predicted, true)
			if err != nil {
				return err
			}
			results[s][fold], rows[s][fold] = r, len(part)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var points []Point
	var failure error
	for s, share := range shares {
		p, tests, trains := Point{Share: share}, []float64(nil), []float64(nil)
		for fold, r := range results[s] {
			if r.err != nil {
				failure = cmp.Or(failure, r.err)
				continue
			}
			tests, trains = append(tests, r.test), append(trains, r.train)
			p.Rows += rows[s][fold]
		}
		if p.Folds = len(tests); p.Folds > 0 {
			p.Rows /= p.Folds
			p.Score, p.StandardError = mean(tests)
			p.Train, _ = mean(trains)
			points = append(points, p)
		}
	}
	if len(points) == 0 && len(shares) > 0 {
		return nil, fmt.Errorf("learning curve of %s: %w", l.Name, cmp.Or(failure, errors.New("no folds")))
	}
	return points, nil
}

// shuffled returns rows in random order, those of a group beside each other. For Classification, the values are spread evenly.
func shuffled(d learn.Data, rows []int, random *rand.Rand) []int {
	if d.Groups != nil {
		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(d.Groups[a], d.Groups[b]) })
	}
	// A group is placed by its first row.
	type group struct {
		rows  []int
		class int
		place float64
	}
	var groups []group
	for i, row := range rows {
		if i == 0 || d.Groups == nil || d.Groups[row] != d.Groups[rows[i-1]] {
			g := group{}
			if d.Task == learn.Classification && d.Y[row] == 1 {
				g.class = 1
			}
			groups = append(groups, g)
		}
		last := &groups[len(groups)-1]
		last.rows = append(last.rows, row)
	}
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	var total, before [2]int
	for _, g := range groups {
		total[g.class]++
	}
	for i, g := range groups {
		groups[i].place = (float64(before[g.class]) + 0.5) / float64(total[g.class])
		before[g.class]++
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.place, b.place) })
	out := make([]int, 0, len(rows))
	for _, g := range groups {
		out = append(out, g.rows...)
	}
	return out
}

// part returns about a share of shuffled rows, at least one group of them, in the order of their numbers.
func part(d learn.Data, rows []int, share float64) []int {
	n := min(max(int(float64(share*float64(len(rows)))+0.5), 1), len(rows))
	for d.Groups != nil && n < len(rows) && d.Groups[rows[n]] == d.Groups[rows[n-1]] {
		n++
	}
	return slices.Sorted(slices.Values(rows[:n]))
}
