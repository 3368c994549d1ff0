// Package tree fits random forests and gradient boosting to tables of numbers, and predicts by them.
//
// The features are divided into at most 255 bins once, by [Bin]. Models of all folds and parameters share the bins; they store
// thresholds as numbers, so that they predict from features that are not in bins. Since the bins do not depend on the values
// to predict, sharing them between the rows of training and of a test tells a model nothing about the latter.
//
//	bins := tree.Bin(data.X)
//	forest, err := tree.FitForest(ctx, bins, data, rows, tree.ForestParameters{Trees: 200, Seed: 1})
//	probability := forest.Predict(features)
//
// # Determinism
//
// A model depends on the data, the parameters and the seed only: a tree draws random numbers from a generator of its own, sums
// are in one order, and no product is fused with a sum. The models of several architectures and numbers of threads have the
// same bytes.
//
// # Why it is written by hand
//
// No Go module that is maintained fits what this package has to do. github.com/sjwhitworth/golearn, last changed in 2022, has
// random forests for classes only, no gradient boosting, and takes random numbers from the global generator of math/rand in
// several goroutines, so that a seed does not determine a model; parts of it need cgo. github.com/dmitryikh/leaves, last
// changed in 2023, predicts by models that other programs fitted. Bindings of XGBoost and LightGBM need cgo and C++ libraries.
//
// # Comparison with scikit-learn
//
// The results are compared with those of scikit-learn: testdata/reference.py makes its figures, and scores are within 5 % of
// them in TestSynthetic, and in TestSets for the sets diabetes, wine and breast_cancer. To compare these, and CPU time (Debian:
// apt install python3-sklearn):
//
//	go test -run TestSets -v . -python /usr/bin/python3
//	go test -bench 'Forest|Boosting' -benchtime 1x
//	OMP_NUM_THREADS=1 /usr/bin/python3 testdata/reference.py time
package tree
