package tree

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
)

// TestPredictAll checks that rows are predicted alike one by one and together.
func TestPredictAll(t *testing.T) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		forest, boosting, _ := fitted(t, task)
		d := learntest.Friedman(task, 1500, 6, 12)
		for _, m := range []interface {
			learn.Predictor
			PredictAll(ctx context.Context, x learn.Matrix) ([]float64, error)
		}{forest, boosting} {
			predicted, err := m.PredictAll(t.Context(), d.X)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range predicted {
				if want := m.Predict(d.X.Row(i)); p != want {
					t.Fatalf("%T, row %d: %v, want %v", m, i, p, want)
				}
				if task == learn.Classification && (p < 0 || p > 1) {
					t.Fatalf("%T: probability %v", m, p)
				}
			}
			if _, err := m.PredictAll(t.Context(), learn.Matrix{Rows: 1, Columns: 5, Values: make([]float64, 5)}); err == nil {
				t.Errorf("%T: predicts 5 features", m)
			}
		}
	}
}

// TestImportance checks that the five features of Friedman #1 are the important ones.
func TestImportance(t *testing.T) {
	d := learntest.Friedman(learn.Regression, 1000, 10, 13)
	b := Bin(d.X)
	for _, l := range []learn.Learner{
		ForestLearner(b, ForestParameters{Trees: 20}), BoostingLearner(b, BoostingParameters{Trees: 20}),
	} {
		m, err := l.Fit(t.Context(), d, learntest.Rows(d))
		if err != nil {
			t.Fatal(err)
		}
		sum, noise := 0.0, 0.0
		for f, v := range m.Importance() {
			sum += v
			if f >= 5 {
				noise = max(noise, v)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the sum is %v", l.Name, sum)
		}
		for f, v := range m.Importance()[:5] {
			if v <= noise {
				t.Errorf("%s: feature %d has %v, less than %v of a feature without influence", l.Name, f, v, noise)
			}
		}
	}
}

// TestConstant fits data that cannot be split.
func TestConstant(t *testing.T) {
	for name, c := range map[string]struct {
		x, y []float64
		want float64
	}{
		"features": {x: []float64{2, 2, 2, 2}, y: []float64{1, 0, 0, 1}, want: 0.5},
		"values":   {x: []float64{1, 2, 3, 4}, y: []float64{1, 1, 1, 1}, want: 1},
		"one row":  {x: []float64{1}, y: []float64{1}, want: 1},
	} {
		for _, task := range []learn.Task{learn.Regression, learn.Classification} {
			d := learn.Data{Task: task, X: column(c.x...), Y: c.y}
			b := Bin(d.X)
			for _, l := range []learn.Learner{
				ForestLearner(b, ForestParameters{Trees: 1000, Seed: 1}), BoostingLearner(b, BoostingParameters{MinLeaf: 1}),
			} {
				m, err := l.Fit(t.Context(), d, learntest.Rows(d))
				if err != nil {
					t.Fatal(err)
				}
				if p := m.Predict([]float64{2}); math.Abs(p-c.want) > 0.03 {
					t.Errorf("%s, %s, %s: %v", name, task, l.Name, p)
				}
				if m.Importance()[0] != 0 {
					t.Errorf("%s, %s, %s: importance %v", name, task, l.Name, m.Importance())
				}
			}
		}
	}
}

// TestLimits checks the limits of trees.
func TestLimits(t *testing.T) {
	d := learntest.Friedman(learn.Regression, 300, 5, 14)
	b := Bin(d.X)
	rows := learntest.Rows(d)
	forest, err := FitForest(t.Context(), b, d, rows, ForestParameters{Trees: 3, MaxDepth: 3, MinLeaf: 10})
	if err != nil {
		t.Fatal(err)
	}
	boosting, err := FitBoosting(t.Context(), b, d, rows, BoostingParameters{Trees: 3, MaxDepth: 3, MaxLeaves: 6, MinLeaf: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, nodes := range append(forest.trees, boosting.trees...) {
		if n := len(nodes); n < 3 || n > 15 {
			t.Errorf("%d nodes", n)
		}
		reached := map[float64]int{}
		for i := range rows {
			reached[walk(nodes, d.X.Row(i))]++
		}
		for value, n := range reached {
			if n < 10 {
				t.Errorf("%d rows in the leaf of %v", n, value)
			}
		}
	}
	for _, nodes := range boosting.trees {
		if n := len(nodes); n > 11 {
			t.Errorf("%d nodes for 6 leaves", n)
		}
	}
}

func TestErrors(t *testing.T) {
	d := learntest.Friedman(learn.Regression, 30, 5, 15)
	b := Bin(d.X)
	other := d
	other.Y = d.Y[:20]
	unknown := d
	unknown.Task = "ranking"
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, l := range []learn.Learner{
		ForestLearner(b, ForestParameters{}), BoostingLearner(b, BoostingParameters{}),
	} {
		if _, err := l.Fit(canceled, d, learntest.Rows(d)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", l.Name, err)
		}
		for name, c := range map[string]struct {
			data learn.Data
			rows []int
		}{
			"no rows": {d, nil}, "row after the last": {d, []int{30}}, "negative row": {d, []int{-1}},
			"row twice": {d, []int{3, 3}}, "too few values": {other, learntest.Rows(d)[:20]}, "task": {unknown, learntest.Rows(d)},
		} {
			if m, err := l.Fit(t.Context(), c.data, c.rows); err == nil || m != nil {
				t.Errorf("%s, %s: %v", l.Name, name, m)
			}
		}
	}
}
