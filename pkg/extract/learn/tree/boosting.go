package tree

import (
	"context"
	"math/rand/v2"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// BoostingParameters are the parameters of gradient boosting.
type BoostingParameters struct {
	Trees        int     // default 100
	LearningRate float64 // factor of the value of each tree; default 0.1
	MaxLeaves    int     // of a tree; default 31
	MaxDepth     int     // greatest number of splits from the root to a leaf; 0: no limit
	MinLeaf      int     // least number of rows in a leaf; default 20
	Subsample    float64 // share of the rows, chosen at random for each tree; default 1
	Seed         uint64  // of the choice of rows
}

// resolve returns the parameters with the defaults.
func (p BoostingParameters) resolve() BoostingParameters {
	if p.Trees <= 0 {
		p.Trees = 100
	}
	if p.LearningRate <= 0 {
		p.LearningRate = 0.1
	}
	if p.MaxLeaves <= 0 {
		p.MaxLeaves = 31
	}
	if p.MinLeaf <= 0 {
		p.MinLeaf = 20
	}
	if p.Subsample <= 0 || p.Subsample > 1 {
		p.Subsample = 1
	}
	return p
}

// Boosting is gradient boosting: a sum of trees, each of which is fitted to the errors of those before. It implements
// [learn.Predictor].
type Boosting struct{ ensemble }

// FitBoosting fits a model to some rows of the data, whose features are b. The loss is the squared error for Regression, and
// the logistic loss for Classification. It follows HistGradientBoostingRegressor and HistGradientBoostingClassifier of
// scikit-learn without early stopping: a tree grows by the leaf whose split has the greatest gain, and the values of leaves
// are Newton steps. The importance of a feature is the sum of the gains of its splits.
//
// It returns the error of ctx if that is done, and an error if the rows do not fit the data.
func FitBoosting(ctx context.Context, b *Bins, d learn.Data, rows []int, p BoostingParameters) (*Boosting, error) {
	if err := check(b, d, rows); err != nil {
		return nil, err
	}
	p = p.resolve()
	m := &Boosting{ensemble{
		kind: kindBoosting, task: d.Task, base: baseline(d, rows), importance: make([]float64, b.Columns()),
	}}
	g := newBooster(b, d, rows, p, m.base)
	for i := range p.Trees {
		random := rand.New(rand.NewPCG(p.Seed, uint64(i))) //nolint:gosec // a model must be repeatable
		nodes, err := g.grow(ctx, random, m.importance)
		if err != nil {
			return nil, err
		}
		m.trees = append(m.trees, nodes)
	}
	normalize(m.importance)
	return m, nil
}

// Predict implements [learn.Predictor]. It panics if x has fewer values than the data the model was fitted to.
func (m *Boosting) Predict(x []float64) float64 { return m.finish(m.sum(x)) }

// baseline returns the best constant: the mean, or its log odds.
func baseline(d learn.Data, rows []int) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += d.Y[r]
	}
	mean := sum / float64(len(rows))
	if d.Task == learn.Regression {
		return mean
	}
	const margin = 1e-9 // rows of one class have finite odds
	mean = min(max(mean, margin), 1-margin)
	return exact.Log(mean / (1 - mean))
}
