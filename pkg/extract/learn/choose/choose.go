// Package choose chooses a learner by cross-validation.
package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/score"
)

// ErrFailed is the error of [Choose] if no candidate has a score.
var ErrFailed = errors.New("all candidates failed")

// Metric is what candidates are compared by.
type Metric string

// Metrics.
const (
	RMSE Metric = "rmse" // of Regression: root of the mean squared error, in the unit of the values; lower is better
	AUC  Metric = "auc"  // of Classification: area under the ROC curve, from 0 to 1; higher is better
)

// Choice is the result of cross-validation.
type Choice struct {
	Metric     Metric      `json:"metric"`
	Folds      int         `json:"folds"`
	Candidates []Candidate `json:"candidates"` // in the order in which they were given
	Best       int         `json:"best"`       // index of the chosen candidate
	// Predicted are the predictions of all rows by the models of the chosen candidate that did not learn from them.
	Predicted []float64 `json:"predicted"`
}

// Candidate is a learner and its scores.
type Candidate struct {
	Name       string             `json:"name"`
	Parameters map[string]float64 `json:"parameters,omitempty"`
	Score      float64            `json:"score"`           // mean of the folds; 0 if there is an error
	Error      string             `json:"error,omitempty"` // why the candidate has no score
	// StandardError is that of the score: the standard deviation of the folds divided by the root of their number.
	StandardError float64   `json:"standardError"`
	Folds         []float64 `json:"folds,omitempty"` // score of each fold
}

// Choose fits the candidates to the rows of all folds but one, for each fold, and measures their predictions of that one. The
// fold of each row is from 0 without gaps, as package fold assigns them.
//
// It chooses the first candidate whose score is not clearly worse than the best: the mean of their differences in the folds is
// at most the standard error of that mean. So candidates should be in the order of preference, the simplest first. For
// Classification, this is the first one whose probabilities are also not clearly worse than the best of those candidates, by
// their mean squared error, because AUC compares their order only. A candidate that fails in a fold, or predicts a value that is
// not finite, is listed with its error and not chosen.
//
// Folds are computed in parallel, as many as there are processors, which does not change the result. Besides their models, Choose
// keeps a number for each candidate and row.
//
// Choose returns [ErrFailed] if all candidates fail, the cause of ctx if that is done, or another error if the arguments are
// invalid.
func Choose(ctx context.Context, d learn.Data, folds []int, candidates []learn.Learner) (Choice, error) {
	k, err := count(d, folds)
	if err != nil {
		return Choice{}, err
	}
	results := make([][]result, len(candidates))
	predicted := make([][]float64, len(candidates))
	for c := range candidates {
		results[c], predicted[c] = make([]result, k), make([]float64, len(folds))
	}
	err = each(ctx, k, func(ctx context.Context, fold int) error {
		train, test := divide(folds, fold)
		for c, candidate := range candidates {
			r, err := measure(ctx, d, candidate, train, test, predicted[c], false)
			if err != nil {
				return err
			}
			results[c][fold] = r
		}
		return nil
	})
	if err != nil {
		return Choice{}, err
	}
	choice := Choice{Metric: metric(d.Task), Folds: k, Candidates: make([]Candidate, len(candidates)), Best: -1}
	var failure error // the first
	for c, learner := range candidates {
		var err error
		if choice.Candidates[c], err = summarize(learner, results[c]); err != nil {
			failure = cmp.Or(failure, err)
		}
	}
	if choice.Best = best(d.Task, choice.Candidates, results); choice.Best < 0 {
		return choice, fmt.Errorf("%w: %w", ErrFailed, cmp.Or(failure, errors.New("there are none")))
	}
	choice.Predicted = predicted[choice.Best]
	return choice, nil
}

func metric(task learn.Task) Metric {
	if task == learn.Classification {
		return AUC
	}
	return RMSE
}

// count returns the number of folds.
func count(d learn.Data, folds []int) (int, error) {
	if len(folds) != d.X.Rows || len(d.Y) != d.X.Rows {
		return 0, fmt.Errorf("%d folds and %d values to predict for %d rows", len(folds), len(d.Y), d.X.Rows)
	}
	var rows []int
	for _, f := range folds {
		if f < 0 || f >= len(folds) {
			return 0, fmt.Errorf("fold %d of %d rows", f, len(folds))
		}
		for f >= len(rows) {
			rows = append(rows, 0)
		}
		rows[f]++
	}
	for f, n := range rows {
		if n == 0 {
			return 0, fmt.Errorf("no rows in fold %d of %d", f, len(rows))
		}
	}
	if len(rows) < 2 {
		return 0, fmt.Errorf("%d folds, want at least 2", len(rows))
	}
	return len(rows), nil
}

// divide returns the rows of the other folds and those of a fold.
func divide(folds []int, fold int) (train, test []int) {
	for row, f := range folds {
		if f == fold {
			test = append(test, row)
		} else {
			train = append(train, row)
		}
	}
	return train, test
}

// each calls f for the numbers below n, as many at once as there are processors, until one fails.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return f(ctx, i)
		})
	}
	return group.Wait()
}

// result is what a learner reached with some rows.
type result struct {
	train, test float64 // scores of the rows that it learned from, if measured, and of others
	squares     float64 // mean squared error of the predictions of the others
	err         error   // of the learner
}

// measure fits a learner, and scores its predictions of test and, if wanted, of the rows that it learned from. It stores the
// predictions in the places of the rows. It returns an error only if ctx is done.
func measure(
	ctx context.Context, d learn.Data, l learn.Learner, train, test []int, predicted []float64, both bool,
) (r result, err error) {
	p, err := l.Fit(ctx, d, train)
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if err != nil {
		return result{err: err}, nil
	}
	if r.test, r.err = scoreOf(d, p, test, predicted); r.err == nil {
		for _, row := range test {
			r.squares += float64((d.Y[row]-predicted[row])*(d.Y[row]-predicted[row])) / float64(len(test))
		}
	}
	if r.err == nil && both {
		r.train, r.err = scoreOf(d, p, train, predicted)
	}
	return r, nil
}

// scoreOf scores the predictions of rows, and stores them in the places of the rows.
func scoreOf(d learn.Data, p learn.Predictor, rows []int, predicted []float64) (float64, error) {
	y, values := make([]float64, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		y[i], values[i] = d.Y[row], p.Predict(d.X.Row(row))
		predicted[row] = values[i]
	}
	if d.Task == learn.Classification {
		return score.AUC(y, values)
	}
	return score.RMSE(y, values)
}

// summarize returns the candidate with its scores, or its error.
func summarize(l learn.Learner, results []result) (Candidate, error) {
	c := Candidate{Name: l.Name, Parameters: l.Parameters, Folds: make([]float64, len(results))}
	for fold, r := range results {
		if r.err != nil {
			c.Folds, c.Error = nil, r.err.Error()
			return c, fmt.Errorf("%s in fold %d: %w", l.Name, fold, r.err)
		}
		c.Folds[fold] = r.test
	}
	c.Score, c.StandardError = mean(c.Folds)
	return c, nil
}

// mean returns the mean and its standard error, which is 0 for a single value.
func mean(values []float64) (m, standardError float64) {
	n := float64(len(values))
	for _, v := range values {
		m += v / n
	}
	if n < 2 {
		return m, 0
	}
	squares := 0.0
	for _, v := range values {
		squares += float64((v - m) * (v - m))
	}
	return m, math.Sqrt(squares / (n - 1) / n)
}

// best returns the index of the chosen candidate, or -1 if all have errors.
func best(task learn.Task, candidates []Candidate, results [][]result) int {
	var able []int
	for i, c := range candidates {
		if c.Error == "" {
			able = append(able, i)
		}
	}
	good := notWorse(able, func(i, fold int) float64 {
		if task == learn.Classification {
			return -results[i][fold].test // AUC: higher is better
		}
		return results[i][fold].test
	}, results)
	if task == learn.Classification {
		good = notWorse(good, func(i, fold int) float64 { return results[i][fold].squares }, results)
	}
	if len(good) == 0 {
		return -1
	}
	return good[0]
}

// notWorse returns the candidates whose costs in the folds are not clearly higher than those of the one with the lowest mean.
func notWorse(candidates []int, cost func(candidate, fold int) float64, results [][]result) []int {
	top, lowest := -1, math.Inf(1)
	for _, i := range candidates {
		sum := 0.0
		for fold := range results[i] {
			sum += cost(i, fold)
		}
		if sum < lowest {
			top, lowest = i, sum
		}
	}
	var good []int
	for _, i := range candidates {
		differences := make([]float64, len(results[i]))
		for fold := range differences {
			differences[fold] = cost(i, fold) - cost(top, fold)
		}
		if m, standardError := mean(differences); m <= standardError {
			good = append(good, i)
		}
	}
	return good
}
