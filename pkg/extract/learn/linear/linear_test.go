package linear_test

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"hash/fnv"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
)

func fit(t *testing.T, l learn.Learner, d learn.Data) *linear.Model {
	t.Helper()
	p, err := l.Fit(t.Context(), d, learntest.Rows(d))
	if err != nil {
		t.Fatal(err)
	}
	return p.(*linear.Model)
}

func TestCoefficientsInUnits(t *testing.T) {
	for task, l := range learners(1) {
		d := learntest.Data(task, 80, 6, 1)
		m := fit(t, l, d)
		slopes, intercept := m.Coefficients(), m.Intercept()
		for i := range 10 {
			want := intercept
			for j, x := range d.X.Row(i) {
				want += slopes[j] * x
			}
			if task == learn.Classification {
				want = 1 / (1 + math.Exp(-want))
			}
			if got := m.Predict(d.X.Row(i)); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: prediction of row %d = %v, want %v", l.Name, i, got, want)
			}
		}
		if slopes[1] != 0 || m.Standardized[1] != 0 || m.Deviations[1] != 0 {
			t.Errorf("%s: coefficient %v of a feature that does not vary, want 0", l.Name, slopes[1])
		}
		sum := 0.0
		for _, v := range m.Importance() {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 || m.Importance()[1] != 0 {
			t.Errorf("%s: importance %v, want a sum of 1 and 0 for feature 1", l.Name, m.Importance())
		}
		// features 0 and 2 are the same except for their units
		if math.Abs(m.Standardized[0]-m.Standardized[2]) > 1e-9 {
			t.Errorf("%s: coefficients %v of two equal features differ", l.Name, m.Standardized)
		}
	}
}

func learners(parameter float64) map[learn.Task]learn.Learner {
	return map[learn.Task]learn.Learner{
		learn.Regression: linear.RidgeLearner(parameter), learn.Classification: linear.LogisticLearner(parameter),
	}
}

// One feature separates the classes, or all features are the same number.
func TestExtremes(t *testing.T) {
	d := learn.Data{Task: learn.Classification, X: learn.Matrix{Rows: 6, Columns: 1, Values: []float64{1, 2, 3, 11, 12, 13}}, Y: []float64{0, 0, 0, 1, 1, 1}}
	for _, c := range []float64{1e-6, 1, 1e6} {
		m := fit(t, linear.LogisticLearner(c), d)
		if !(m.Standardized[0] > 0 && m.Standardized[0] < 100 && m.Predict([]float64{1}) < 0.5 && m.Predict([]float64{13}) > 0.5) {
			t.Errorf("c = %v: got coefficient %v", c, m.Standardized[0])
		}
	}
	for i := range d.X.Values {
		d.X.Values[i] = 0.1
	}
	if m := fit(t, linear.LogisticLearner(1), d); m.Predict([]float64{5}) != 0.5 || m.Importance()[0] != 0 {
		t.Errorf("got %v, want 0.5 without features", m.Predict([]float64{5}))
	}
	d.Task = learn.Regression
	if m := fit(t, linear.RidgeLearner(0), d); m.Predict([]float64{5}) != 0.5 {
		t.Errorf("got %v, want the mean 0.5", m.Predict([]float64{5}))
	}
	d.X = learn.Matrix{Rows: 6}
	if m := fit(t, linear.RidgeLearner(1), d); m.Predict(nil) != 0.5 {
		t.Errorf("got %v, want the mean 0.5", m.Predict(nil))
	}
}

// A large mean or unit of features changes their coefficients only by rounding.
func TestOffsetsAndUnits(t *testing.T) {
	for task, l := range learners(1) {
		for _, data := range []func(learn.Task, int, int, uint64) learn.Data{learntest.Data, learntest.Bits} {
			d, moved := data(task, 90, 40, 1), data(task, 90, 40, 1)
			for i := range moved.X.Values {
				moved.X.Values[i] = 1e-9 * (moved.X.Values[i] + 1e6)
			}
			want, got := fit(t, l, d), fit(t, l, moved)
			for j, c := range want.Standardized {
				if math.Abs(got.Standardized[j]-c) > 1e-6 {
					t.Errorf("%s: coefficient %d = %v, want %v", l.Name, j, got.Standardized[j], c)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	regression, classes := learntest.Data(learn.Regression, 9, 4, 1), learntest.Data(learn.Classification, 9, 4, 1)
	one, infinite, huge, short := classes, regression, regression, regression
	one.Y = make([]float64, 9)
	infinite.Y = []float64{math.Inf(1), 0, 0, 0, 0, 0, 0, 0, 0}
	huge.X.Values = append([]float64{1e200}, regression.X.Values[1:]...)
	short.Y = short.Y[1:]
	for _, test := range []struct {
		learner learn.Learner
		data    learn.Data
		rows    []int
		want    string
	}{
		{linear.RidgeLearner(1), classes, learntest.Rows(classes), "task"},
		{linear.LogisticLearner(1), regression, learntest.Rows(classes), "task"},
		{linear.RidgeLearner(-1), regression, learntest.Rows(classes), "not a number from 0"},
		{linear.RidgeLearner(math.NaN()), regression, learntest.Rows(classes), "not a number from 0"},
		{linear.LogisticLearner(0), classes, learntest.Rows(classes), "not a positive number"},
		{linear.RidgeLearner(0), regression, learntest.Rows(regression), "linear combinations"},
		{linear.RidgeLearner(1), regression, nil, "no rows"},
		{linear.LogisticLearner(1), classes, nil, "no rows"},
		{linear.RidgeLearner(1), regression, []int{9}, "row 9"},
		{linear.LogisticLearner(1), one, []int{0, 1}, learn.ErrOneClass.Error()},
		{linear.RidgeLearner(1), infinite, learntest.Rows(classes), "value +Inf to predict in row 0"},
		{linear.RidgeLearner(1), huge, learntest.Rows(classes), "feature 0"},
		{linear.RidgeLearner(1), short, []int{1}, "8 values to predict"},
	} {
		p, err := test.learner.Fit(t.Context(), test.data, test.rows)
		if err == nil || !strings.Contains(err.Error(), test.want) || p != nil {
			t.Errorf("%s %v: got error %v, want one with %q", test.learner.Name, test.learner.Parameters, err, test.want)
		}
	}
}

func TestCancel(t *testing.T) {
	cause := errors.New("enough")
	for task, l := range learners(1) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		d := learntest.Data(task, 50, 5, 1)
		if _, err := l.Fit(ctx, d, learntest.Rows(d)); !errors.Is(err, cause) {
			t.Errorf("%s: got error %v, want %v", l.Name, err, cause)
		}
		if m := fit(t, l, d); m == nil {
			t.Errorf("%s: no model after a cancelled fit", l.Name)
		}
	}
}

// The bits do not depend on the processors, on the architecture, or on whether learners share computations.
func TestBits(t *testing.T) {
	sum := fnv.New64a()
	for _, of := range []struct {
		data          func(task learn.Task, rows, columns int, seed uint64) learn.Data
		rows, columns int
	}{{learntest.Data, 700, 40}, {learntest.Data, 60, 90}, {learntest.Bits, 700, 80}, {learntest.Bits, 60, 200}} {
		regression, classes := of.data(learn.Regression, of.rows, of.columns, 1), of.data(learn.Classification, of.rows, of.columns, 1)
		ridge, logistic := linear.RidgeLearners(0.1, 10), linear.LogisticLearners(0.01, 10)
		for i := range ridge {
			for _, l := range []learn.Learner{ridge[i], logistic[i]} {
				d, alone := regression, linear.RidgeLearner(l.Parameters["alpha"])
				if l.Name == "logistic" {
					d, alone = classes, linear.LogisticLearner(l.Parameters["c"])
				}
				m := fit(t, l, d)
				data := marshal(t, m)
				sum.Write(data)
				for i := range d.X.Rows {
					sum.Write(marshal(t, &linear.Model{Task: d.Task, Center: m.Predict(d.X.Row(i))}))
				}
				before := runtime.GOMAXPROCS(3)
				other := fit(t, alone, d)
				runtime.GOMAXPROCS(before)
				if !bytes.Equal(marshal(t, other), data) {
					t.Errorf("%s %v: other bits on 3 processors", l.Name, l.Parameters)
				}
			}
		}
	}
	// amd64 and arm64 return these bits.
	if got := sum.Sum64(); got != 0x44109ca39ef1b67f {
		t.Errorf("digest of the models = %#x, want 0x44109ca39ef1b67f", got)
	}
}

func marshal(t *testing.T, m encoding.BinaryMarshaler) []byte {
	t.Helper()
	data, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
