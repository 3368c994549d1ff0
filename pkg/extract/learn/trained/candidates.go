package trained

import (
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
	"github.com/assay-project/assay/pkg/extract/learn/tree"
)

// Folds is the number of folds of cross-validation.
const Folds = 5

// manyValues is the number of values of features from which fewer learners are compared, so that a training takes a minute on
// two processors.
const manyValues = 2_000_000

// Candidates returns the learners that cross-validation compares, the simplest first. The penalties cover the range in which
// the coefficients of standardized features change, and the sizes of leaves that in which trees overfit or underfit. Of more
// than two million values, there is one learner of each kind of trees, with fewer trees. The seed is that of the trees.
func Candidates(d learn.Data, seed uint64) []learn.Learner {
	var all []learn.Learner
	if d.Task == learn.Classification {
		all = linear.LogisticLearners(0.01, 0.1, 1, 10)
	} else {
		all = linear.RidgeLearners(1000, 100, 10, 1, 0.1)
	}
	bins := tree.Bin(d.X)
	third, root := (d.X.Columns+2)/3, int(math.Ceil(math.Sqrt(float64(d.X.Columns))))
	boosting := tree.BoostingParameters{Trees: trees, LearningRate: 0.1, MinLeaf: 20, Subsample: 1, Seed: seed}
	forests := []tree.ForestParameters{{MinLeaf: 5, MaxFeatures: third}, {MinLeaf: 1, MaxFeatures: root}, {MinLeaf: 1, MaxFeatures: third}}
	leaves := []int{7, 31}
	if len(d.X.Values) > manyValues {
		forests, leaves = []tree.ForestParameters{{MinLeaf: 5, MaxFeatures: root}}, leaves[1:]
		boosting.Trees, boosting.LearningRate = 60, 0.15
	}
	for _, p := range forests {
		p.Trees, p.Seed = trees, seed
		all = append(all, tree.ForestLearner(bins, p))
	}
	for _, boosting.MaxLeaves = range leaves {
		all = append(all, tree.BoostingLearner(bins, boosting))
	}
	return all
}

// trees is the number of trees of a forest, and of steps of boosting.
const trees = 100

// Candidate returns the learner of Candidates with an index. ok is false if there is none.
func Candidate(d learn.Data, seed uint64, candidate int) (l learn.Learner, ok bool) {
	all := Candidates(d, seed)
	if candidate < 0 || candidate >= len(all) {
		return learn.Learner{}, false
	}
	return all[candidate], true
}
