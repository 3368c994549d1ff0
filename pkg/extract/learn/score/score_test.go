package score_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/score"
)

// measures are those of scikit-learn, see testdata/reference.py.
type measures struct {
	Y, Class, P                         []float64
	RMSE, MAE, R2, AUC, Brier, Accuracy float64
	LogLoss                             float64 `json:"log_loss"`
	Balanced                            float64
	Confusion                           []int
	ROC                                 [][2]float64
	Thresholds, Observed, Predicted     []float64
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func TestMeasuresEqualReference(t *testing.T) {
	content, err := os.ReadFile("../testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Measures measures }
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	m := file.Measures
	percent := make([]float64, len(m.P))
	for i, p := range m.P {
		percent[i] = 100 * p
	}
	numbers, err := score.OfNumbers(m.Y, percent)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "RMSE", numbers.RMSE, m.RMSE)
	near(t, "MAE", numbers.MAE, m.MAE)
	near(t, "R2", numbers.R2, m.R2)
	classes, err := score.OfProbabilities(m.Class, m.P)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "AUC", classes.AUC, m.AUC)
	near(t, "log loss", classes.LogLoss, m.LogLoss)
	near(t, "Brier", classes.Brier, m.Brier)
	near(t, "accuracy", classes.Accuracy, m.Accuracy)
	near(t, "balanced accuracy", classes.BalancedAccuracy, m.Balanced)
	c := classes.Confusion
	if got := []int{c.TrueZeros, c.FalseOnes, c.FalseZeros, c.TrueOnes}; !slices.Equal(got, m.Confusion) {
		t.Errorf("confusion = %v, want %v", got, m.Confusion)
	}
	bins, err := score.Calibration(m.Class, m.P, 5)
	if err != nil || len(bins) != len(m.Observed) {
		t.Fatalf("got %d bins and error %v, want %d", len(bins), err, len(m.Observed))
	}
	for i, b := range bins {
		near(t, "observed", b.Observed, m.Observed[i])
		near(t, "predicted", b.Predicted, m.Predicted[i])
	}
	points, err := score.ROC(m.Class, m.P, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		i := slices.Index(m.ROC, [2]float64{p.FalsePositives, p.TruePositives})
		if i < 0 || p.Threshold != m.Thresholds[i] {
			t.Errorf("point %v is not in the curve of the reference", p)
		}
	}
	near(t, "area of the points", area(points), m.AUC)
	if few, err := score.ROC(m.Class, m.P, 4); err != nil || len(few) != 4 || few[0] != points[0] || few[3] != points[len(points)-1] {
		t.Errorf("got points %v and error %v, want 4 from the first to the last", few, err)
	}
}

func area(points []score.Point) float64 {
	sum := 0.0
	for i, p := range points[1:] {
		sum += (p.FalsePositives - points[i].FalsePositives) * (p.TruePositives + points[i].TruePositives) / 2
	}
	return sum
}

// The area is the share of pairs in the right order, and that under the points.
func TestAUCCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		y, p := make([]float64, n), make([]float64, n)
		for i := range n {
			y[i] = float64(rapid.IntRange(0, 1).Draw(t, "y"))
			p[i] = float64(rapid.IntRange(0, 8).Draw(t, "p")) / 8
		}
		right, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if y[i] == 1 && y[j] == 0 {
					pairs++
					if p[i] > p[j] {
						right++
					} else if p[i] == p[j] {
						right += 0.5
					}
				}
			}
		}
		got, err := score.AUC(y, p)
		if pairs == 0 {
			if !errors.Is(err, learn.ErrOneClass) {
				t.Fatalf("got error %v, want %v", err, learn.ErrOneClass)
			}
			return
		}
		if err != nil || math.Abs(got-right/pairs) > 1e-12 {
			t.Errorf("AUC = %v and error %v, want %v", got, err, right/pairs)
		}
		points, err := score.ROC(y, p, 1000)
		if err != nil || math.Abs(area(points)-got) > 1e-12 {
			t.Errorf("area of the points = %v and error %v, want %v", area(points), err, got)
		}
	})
}

// The interval contains the next value with at least the probability that it is for.
func TestHalfWidth(t *testing.T) {
	errs := []float64{-9, 1, -2, 3, -4, 5, -6, 7, 8}
	if got, err := score.HalfWidth(errs, 0.9); err != nil || got != 9 {
		t.Errorf("half width of 9 = %v and error %v, want 9", got, err)
	}
	if got, err := score.HalfWidth(append(errs, 10), 0.9); err != nil || got != 10 {
		t.Errorf("half width of 10 = %v and error %v, want 10", got, err)
	}
	if got, err := score.HalfWidth(errs, 0.5); err != nil || got != 5 {
		t.Errorf("half width of a half = %v and error %v, want 5", got, err)
	}
	if _, err := score.HalfWidth(errs[:8], 0.9); !errors.Is(err, score.ErrFew) {
		t.Errorf("got error %v, want %v", err, score.ErrFew)
	}
	d := learntest.Data(learn.Regression, 40*300, 3, 9)
	inside := 0
	for set := range 300 {
		y := d.Y[set*40 : set*40+40]
		changes := make([]float64, 39)
		for i := range changes {
			changes[i] = y[i] - 100
		}
		width, err := score.HalfWidth(changes, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(y[39]-100) <= width {
			inside++
		}
	}
	if inside < 258 || inside > 285 { // 270 ± 3 standard deviations
		t.Errorf("%d of 300 values are inside, want about 270", inside)
	}
}

func TestDefinedResults(t *testing.T) {
	if r, err := score.OfNumbers([]float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.1}); err != nil || r.R2 != 1 {
		t.Errorf("got %v and error %v, want R2 = 1", r, err)
	}
	if r, err := score.OfNumbers([]float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.2}); err != nil || r.R2 != 0 {
		t.Errorf("got %v and error %v, want R2 = 0", r, err)
	}
	if c, err := score.OfProbabilities([]float64{0, 1}, []float64{1, 0}); err != nil || c.AUC != 0 || math.Abs(c.LogLoss-52*math.Ln2) > 1e-9 {
		t.Errorf("got %v and error %v, want AUC 0 and a finite loss", c, err)
	}
	for _, test := range []struct {
		y, p []float64
		want error
	}{
		{nil, nil, score.ErrRows},
		{[]float64{0, 1}, []float64{1}, score.ErrRows},
		{[]float64{0, 1}, []float64{1, math.NaN()}, score.ErrNumber},
		{[]float64{0, 1}, []float64{1, 2}, score.ErrNumber},
		{[]float64{0, 2}, []float64{1, 0}, score.ErrNumber},
		{[]float64{1, 1}, []float64{1, 0}, learn.ErrOneClass},
	} {
		if _, err := score.OfProbabilities(test.y, test.p); !errors.Is(err, test.want) {
			t.Errorf("%v %v: got error %v, want %v", test.y, test.p, err, test.want)
		}
	}
	if _, err := score.OfNumbers([]float64{1e300, -1e300}, []float64{0, 0}); !errors.Is(err, score.ErrNumber) {
		t.Errorf("got error %v, want %v", err, score.ErrNumber)
	}
}

func TestBaseline(t *testing.T) {
	d := learntest.Data(learn.Classification, 30, 3, 1)
	p, err := score.Baseline().Fit(t.Context(), d, []int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Predict(d.X.Row(9)), (d.Y[0]+d.Y[1]+d.Y[2]+d.Y[3])/4; got != want {
		t.Errorf("got %v, want the mean %v", got, want)
	}
	if got := p.Importance(); len(got) != 3 || got[0] != 0 {
		t.Errorf("got importance %v, want 3 zeros", got)
	}
	if _, err := score.Baseline().Fit(t.Context(), d, nil); !errors.Is(err, score.ErrRows) {
		t.Errorf("got error %v, want %v", err, score.ErrRows)
	}
}
