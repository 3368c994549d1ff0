package choose_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/choose"
	"github.com/assay-project/assay/pkg/extract/learn/fold"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
	"github.com/assay-project/assay/pkg/extract/learn/score"
)

// candidates are from the simplest, that with the strongest penalty.
func candidates(task learn.Task) []learn.Learner {
	if task == learn.Classification {
		return linear.LogisticLearners(0.01, 0.1, 1, 10)
	}
	return linear.RidgeLearners(1000, 100, 10, 1, 0.1)
}

func TestScoresEqualReference(t *testing.T) {
	content, err := os.ReadFile("../testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Scores []struct {
			Name      string
			Parameter float64
			Folds     []float64
		}
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		d := learntest.Data(task, 200, 12, 7)
		folds := make([]int, 200)
		for i := range folds {
			folds[i] = i % 5
		}
		choice, err := choose.Choose(t.Context(), d, folds, candidates(task))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range file.Scores {
			for _, got := range choice.Candidates {
				if got.Name != want.Name || got.Parameters["alpha"]+got.Parameters["c"] != want.Parameter {
					continue
				}
				compared++
				for f := range want.Folds {
					if math.Abs(got.Folds[f]-want.Folds[f]) > 1e-9 {
						t.Errorf("%s %v: fold %d = %v, want %v", got.Name, want.Parameter, f, got.Folds[f], want.Folds[f])
					}
				}
			}
		}
	}
	if compared != 9 {
		t.Errorf("compared %d candidates, want 9", compared)
	}
}

// Each row is predicted by the model that did not learn from its fold.
func TestPredictionsAreHeldOut(t *testing.T) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		d := learntest.Data(task, 300, 6, 2)
		folds, err := fold.Split(4, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		learners := candidates(task)
		choice, err := choose.Choose(t.Context(), d, folds, learners)
		if err != nil {
			t.Fatal(err)
		}
		for f := range 4 {
			var train []int
			for row := range folds {
				if folds[row] != f {
					train = append(train, row)
				}
			}
			p, err := learners[choice.Best].Fit(t.Context(), d, train)
			if err != nil {
				t.Fatal(err)
			}
			for row := range folds {
				if want := p.Predict(d.X.Row(row)); folds[row] == f && choice.Predicted[row] != want {
					t.Fatalf("%s: row %d of fold %d is predicted as %v, want %v", task, row, f, choice.Predicted[row], want)
				}
			}
		}
		before := runtime.GOMAXPROCS(1)
		again, err := choose.Choose(t.Context(), d, folds, candidates(task))
		runtime.GOMAXPROCS(before)
		if err != nil || !bytes.Equal(encode(t, again), encode(t, choice)) {
			t.Errorf("%s: other choice on one processor (error %v)", task, err)
		}
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// biased returns a learner whose predictions have an error, which depends on the fold.
func biased(name string, bias ...float64) learn.Learner {
	return learn.Learner{Name: name, Fit: func(_ context.Context, d learn.Data, rows []int) (learn.Predictor, error) {
		held := 0
		for _, row := range rows {
			held += row % 2
		}
		return predictor(bias[min(held, 1)]), nil
	}}
}

type predictor float64

func (p predictor) Predict(x []float64) float64 { return x[0] + float64(p) }
func (p predictor) Importance() []float64       { return []float64{1} }

// even and odd rows are the folds; the feature is the value.
func exactData() (learn.Data, []int) {
	values := []float64{3, 1, 4, 1, 5, 9}
	return learn.Data{Task: learn.Regression, X: learn.Matrix{Rows: 6, Columns: 1, Values: values}, Y: values}, []int{0, 1, 0, 1, 0, 1}
}

func TestPreference(t *testing.T) {
	d, folds := exactData()
	for _, test := range []struct {
		name     string
		learners []learn.Learner
		best     int
	}{
		{"first of equal", []learn.Learner{biased("a", 1, 1), biased("b", 1, 1)}, 0},
		{"within a standard error", []learn.Learner{biased("a", 2, 1), biased("b", 1, 1)}, 0},
		{"better in each fold", []learn.Learner{biased("a", 1.2, 1.3), biased("b", 1, 1)}, 1},
		{"later and worse", []learn.Learner{biased("a", 1, 1), biased("b", 2, 1)}, 0},
		{"best fails", []learn.Learner{biased("a", math.NaN(), 1), biased("b", 3, 3), biased("c", 2, 2)}, 2},
	} {
		choice, err := choose.Choose(t.Context(), d, folds, test.learners)
		if err != nil || choice.Best != test.best {
			t.Errorf("%s: chose %d with error %v, want %d", test.name, choice.Best, err, test.best)
		}
	}
}

func TestFailures(t *testing.T) {
	d := learntest.Data(learn.Regression, 60, 4, 2)
	folds, err := fold.Split(3, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	// without penalty, the two equal features have no solution
	learners := []learn.Learner{linear.RidgeLearner(0), linear.RidgeLearner(1), score.Baseline()}
	choice, err := choose.Choose(t.Context(), d, folds, learners)
	if err != nil {
		t.Fatal(err)
	}
	if c := choice.Candidates; c[0].Error == "" || c[0].Folds != nil || c[1].Error != "" || len(c[2].Folds) != 3 || choice.Best != 1 {
		t.Errorf("got %+v, want an error of the first candidate and the second as the best", c)
	}
	if _, err := choose.Choose(t.Context(), d, folds, learners[:1]); !errors.Is(err, choose.ErrFailed) {
		t.Errorf("got error %v, want %v", err, choose.ErrFailed)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := choose.Choose(ctx, d, folds, learners); !errors.Is(err, cause) {
		t.Errorf("got error %v, want %v", err, cause)
	}
	if _, err := choose.Curve(ctx, d, folds, learners[1], []float64{1}, 1); !errors.Is(err, cause) {
		t.Errorf("got error %v, want %v", err, cause)
	}
	for _, wrong := range [][]int{nil, make([]int, 60), append([]int{-1}, folds[1:]...), append([]int{4}, folds[1:]...)} {
		if _, err := choose.Choose(t.Context(), d, wrong, learners); err == nil || errors.Is(err, choose.ErrFailed) {
			t.Errorf("got error %v with folds %v", err, wrong)
		}
	}
}

func TestCurve(t *testing.T) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		d := learntest.Data(task, 600, 8, 3)
		folds, err := fold.Split(5, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := candidates(task)[3]
		points, err := choose.Curve(t.Context(), d, folds, l, []float64{0.05, 0.3, 1}, 9)
		if err != nil || len(points) != 3 {
			t.Fatalf("%s: got points %v and error %v, want 3", task, points, err)
		}
		choice, err := choose.Choose(t.Context(), d, folds, []learn.Learner{l})
		if err != nil {
			t.Fatal(err)
		}
		if last := points[2]; last.Score != choice.Candidates[0].Score || last.Rows != 480 || last.Folds != 5 {
			t.Errorf("%s: last point %+v, want the score %v of all rows", task, last, choice.Candidates[0].Score)
		}
		if !score.Better(task, points[2].Score, points[0].Score) || !score.Better(task, points[0].Train, points[0].Score) {
			t.Errorf("%s: got %+v, want a better score with more rows, and of the rows that were learned from", task, points)
		}
		if got, want := points[0].Rows, 24; got < want || got > want+2 {
			t.Errorf("%s: first point with %d rows, want about %d", task, got, want)
		}
		again, err := choose.Curve(t.Context(), d, folds, l, []float64{0.05, 0.3, 1}, 9)
		if err != nil || !bytes.Equal(encode(t, again), encode(t, points)) {
			t.Errorf("%s: second curve differs (error %v)", task, err)
		}
		if _, err := choose.Curve(t.Context(), d, folds, l, []float64{0}, 9); err == nil {
			t.Errorf("%s: no error for the share 0", task)
		}
	}
}

// All architectures return the bits whose digest is here.
func TestBits(t *testing.T) {
	sum := fnv.New64a()
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		d := learntest.Data(task, 300, 10, 5)
		folds, err := fold.Split(5, d, 3)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := choose.Choose(t.Context(), d, folds, append(candidates(task), score.Baseline()))
		if err != nil {
			t.Fatal(err)
		}
		points, err := choose.Curve(t.Context(), d, folds, candidates(task)[choice.Best], []float64{0.1, 0.5, 1}, 3)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(encode(t, choice))
		sum.Write(encode(t, points))
		if task == learn.Classification {
			measures, err := score.OfProbabilities(d.Y, choice.Predicted)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(encode(t, measures))
		}
	}
	if got := sum.Sum64(); got != 0xb806c6f3c0ea8560 {
		t.Errorf("digest of the results = %#x, want 0xb806c6f3c0ea8560", got)
	}
}
