package tree

import (
	"context"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// ForestLearner returns a learner of forests on data whose features are b. Its parameters are shown as they are given.
func ForestLearner(b *Bins, p ForestParameters) learn.Learner {
	return learn.Learner{
		Name: "forest",
		Parameters: map[string]float64{
			"trees": float64(p.Trees), "maxFeatures": float64(p.MaxFeatures),
			"minLeaf": float64(p.MinLeaf), "maxDepth": float64(p.MaxDepth),
		},
		Fit: func(ctx context.Context, d learn.Data, rows []int) (learn.Predictor, error) {
			return predictor(FitForest(ctx, b, d, rows, p))
		},
	}
}

// BoostingLearner returns a learner of gradient boosting on data whose features are b. Its parameters are shown as they are
// given.
func BoostingLearner(b *Bins, p BoostingParameters) learn.Learner {
	return learn.Learner{
		Name: "boosting",
		Parameters: map[string]float64{
			"trees": float64(p.Trees), "learningRate": p.LearningRate, "maxLeaves": float64(p.MaxLeaves),
			"maxDepth": float64(p.MaxDepth), "minLeaf": float64(p.MinLeaf), "subsample": p.Subsample,
		},
		Fit: func(ctx context.Context, d learn.Data, rows []int) (learn.Predictor, error) {
			return predictor(FitBoosting(ctx, b, d, rows, p))
		},
	}
}

// predictor returns a nil interface with an error.
func predictor[P learn.Predictor](p P, err error) (learn.Predictor, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}
