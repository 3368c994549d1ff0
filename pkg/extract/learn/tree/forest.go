package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// ForestParameters are the parameters of a random forest.
type ForestParameters struct {
	Trees int // default 100
	// MaxFeatures is the number of features, chosen at random for each node, of which the best split is taken. By default
	// it is a third of the features for Regression and the square root of their number for Classification, rounded down,
	// but at least 1. If all chosen features are constant in a node, further ones are tried.
	MaxFeatures int
	MinLeaf     int    // least number of different rows in a leaf; default 1
	MaxDepth    int    // greatest number of splits from the root to a leaf; 0: no limit
	Seed        uint64 // of the choice of rows and features
}

// resolve returns the parameters with the defaults.
func (p ForestParameters) resolve(t learn.Task, features int) ForestParameters {
	if p.Trees <= 0 {
		p.Trees = 100
	}
	if p.MaxFeatures <= 0 {
		p.MaxFeatures = features / 3
		if t == learn.Classification {
			p.MaxFeatures = int(math.Sqrt(float64(features)))
		}
	}
	p.MaxFeatures = min(max(p.MaxFeatures, 1), features)
	p.MinLeaf = max(p.MinLeaf, 1)
	return p
}

// Forest is a random forest: the mean of trees, each of which is fitted to a bootstrap sample of the rows. It implements
// [learn.Predictor].
type Forest struct{ ensemble }

// FitForest fits a forest to some rows of the data, whose features are b. The trees reduce the variance, which for the
// values 0 and 1 is the same as the Gini impurity. The forest follows RandomForestRegressor and RandomForestClassifier of
// scikit-learn, except that features are divided into bins.
//
// It returns the error of ctx if that is done, and an error if the rows do not fit the data.
func FitForest(ctx context.Context, b *Bins, d learn.Data, rows []int, p ForestParameters) (*Forest, error) {
	if err := check(b, d, rows); err != nil {
		return nil, err
	}
	p = p.resolve(d.Task, b.Columns())
	offset := center(d, rows)
	trees := make([][]node, p.Trees)
	importance := make([][]float64, p.Trees)
	var next atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), p.Trees) {
		workers.Go(func() error {
			g := newGrower(b, d, rows, p, offset)
			for {
				i := int(next.Add(1)) - 1
				if i >= p.Trees {
					return nil
				}
				random := rand.New(rand.NewPCG(p.Seed, uint64(i))) //nolint:gosec // a model must be repeatable
				var err error
				trees[i], importance[i], err = g.grow(ctx, random)
				if err != nil {
					return err
				}
			}
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	total := make([]float64, b.Columns())
	for _, values := range importance {
		for f, v := range values {
			total[f] += v
		}
	}
	normalize(total)
	return &Forest{ensemble{kind: kindForest, task: d.Task, trees: trees, importance: total}}, nil
}

// Predict implements [learn.Predictor]. It panics if x has fewer values than the data the forest was fitted to.
func (f *Forest) Predict(x []float64) float64 {
	return f.finish(f.sum(x))
}

// center returns the mean of the values of a regression, and 0 for a classification, whose sums are exact anyway.
func center(d learn.Data, rows []int) float64 {
	if d.Task == learn.Classification {
		return 0
	}
	sum := 0.0
	for _, r := range rows {
		sum += d.Y[r]
	}
	return sum / float64(len(rows))
}
