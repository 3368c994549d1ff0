package tree

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// kind is the kind of an ensemble.
type kind byte

const (
	kindForest   kind = 1
	kindBoosting kind = 2
)

// ensemble is a list of trees whose values are added.
type ensemble struct {
	kind       kind
	task       learn.Task
	base       float64 // added to the trees; 0 for a forest
	trees      [][]node
	importance []float64 // of each feature
}

// Importance implements [learn.Predictor]: the share of each feature in the total decrease of impurity.
func (e *ensemble) Importance() []float64 { return slices.Clone(e.importance) }

// Task returns what the model predicts.
func (e *ensemble) Task() learn.Task { return e.task }

// sum adds the values of the trees for a row, in their order.
func (e *ensemble) sum(x []float64) float64 {
	sum := e.base
	for _, nodes := range e.trees {
		sum += walk(nodes, x)
	}
	return sum
}

// finish returns the prediction for the sum of the trees.
func (e *ensemble) finish(sum float64) float64 {
	switch {
	case e.kind == kindForest:
		return sum / float64(len(e.trees))
	case e.task == learn.Classification:
		return exact.Probability(sum)
	default:
		return sum
	}
}

// PredictAll returns the predictions for the rows of a matrix, which are the same as those of Predict. It is faster for many
// rows: it uses all processors, and takes each tree for many rows at a time. It returns an error if the number of columns
// is not that of the training data, and the error of ctx if that is done.
func (e *ensemble) PredictAll(ctx context.Context, x learn.Matrix) ([]float64, error) {
	if x.Columns != len(e.importance) {
		return nil, fmt.Errorf("the model has %d features, not %d", len(e.importance), x.Columns)
	}
	sums := make([]float64, x.Rows)
	const block = 512 // rows, whose features fit into the cache
	var next atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() error {
			for {
				start := int(next.Add(block)) - block
				if start >= x.Rows {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				e.predictBlock(x, start, sums[start:min(start+block, x.Rows)])
			}
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return sums, nil
}

// predictBlock predicts rows from start on.
func (e *ensemble) predictBlock(x learn.Matrix, start int, sums []float64) {
	for i := range sums {
		sums[i] = e.base
	}
	for _, nodes := range e.trees {
		for i := range sums {
			sums[i] += walk(nodes, x.Row(start+i))
		}
	}
	for i, sum := range sums {
		sums[i] = e.finish(sum)
	}
}

// check returns an error if rows are not rows of the data, or are not different, or if the bins are not
// those of the data.
func check(b *Bins, d learn.Data, rows []int) error {
	switch {
	case d.Task != learn.Regression && d.Task != learn.Classification:
		return fmt.Errorf("unknown task %q", d.Task)
	case len(d.Y) != b.rows:
		return fmt.Errorf("%d values for %d rows", len(d.Y), b.rows)
	case b.Columns() == 0:
		return errors.New("no features")
	case len(rows) == 0:
		return errors.New("no rows")
	}
	seen := make([]bool, b.rows)
	for _, r := range rows {
		if r < 0 || r >= b.rows {
			return fmt.Errorf("row %d of %d", r, b.rows)
		}
		if seen[r] {
			return fmt.Errorf("row %d is given twice", r)
		}
		seen[r] = true
	}
	return nil
}
