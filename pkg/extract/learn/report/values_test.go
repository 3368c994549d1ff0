package report_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn/report"
)

func TestPairs(t *testing.T) {
	actual := make([]float64, 20_001)
	for i := range actual {
		actual[i] = float64(i)
	}
	all := report.Pairs(actual, actual)
	if len(all) != 1_000 || all[0].Actual != 0 || all[999].Actual != 20_000 {
		t.Fatalf("%d pairs, %v to %v", len(all), all[0], all[len(all)-1])
	}
	for i := range all[1:] {
		if step := all[i+1].Actual - all[i].Actual; step < 20 || step > 21 {
			t.Errorf("the distance of pairs %d and %d is %v", i, i+1, step)
		}
	}
	if few := report.Pairs(actual[:3], actual[:3]); len(few) != 3 || report.Pairs(nil, nil) == nil {
		t.Errorf("%v of 3 pairs", few)
	}
}

func TestResiduals(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 2, 50, 3_000} {
		actual, zero := make([]float64, n), make([]float64, n)
		for i := range actual {
			actual[i] = 1e3 * random.NormFloat64()
		}
		bins := report.Residuals(actual, zero)
		total := 0
		for i, b := range bins {
			within := 0
			for _, r := range actual {
				if r >= b.From && r < b.To {
					within++
				}
			}
			if within != b.Count || i > 0 && bins[i-1].To != b.From {
				t.Errorf("bin %d of %d rows, %v, has %d residuals", i, n, b, within)
			}
			total += b.Count
		}
		if total != n || len(bins) > 32 {
			t.Errorf("%d bins have %d of %d residuals", len(bins), total, n)
		}
	}
	if bins := report.Residuals([]float64{math.NaN()}, []float64{0}); bins == nil || len(bins) > 0 {
		t.Errorf("without residuals: %v", bins)
	}
}

// The points are those of sklearn.metrics.roc_curve's example: y = [1, 1, 2, 2], scores = [0.1, 0.4, 0.35, 0.8], pos_label=2.
func TestROC(t *testing.T) {
	got := report.ROC([]float64{0, 0, 1, 1}, []float64{0.1, 0.4, 0.35, 0.8})
	want := []report.ROCPoint{{0, 0}, {0, 0.5}, {0.5, 0.5}, {0.5, 1}, {1, 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if ties := report.ROC([]float64{0, 1, 0, 1}, []float64{0.5, 0.5, 0.5, 0.5}); !reflect.DeepEqual(ties, []report.ROCPoint{{0, 0}, {1, 1}}) {
		t.Errorf("equal predictions: %v", ties)
	}
	if one := report.ROC([]float64{1, 1}, []float64{0, 1}); len(one) > 0 {
		t.Errorf("one class: %v", one)
	}
	actual, predicted := make([]float64, 50_000), make([]float64, 50_000)
	random := rand.New(rand.NewPCG(9, 10))
	for i := range actual {
		actual[i], predicted[i] = float64(random.IntN(2)), random.Float64()
	}
	if many := report.ROC(actual, predicted); len(many) != 1_000 || many[0] != (report.ROCPoint{}) || many[999] != (report.ROCPoint{FalsePositiveRate: 1, TruePositiveRate: 1}) {
		t.Errorf("%d points, %v to %v", len(many), many[0], many[len(many)-1])
	}
}

func TestCalibration(t *testing.T) {
	got := report.Calibration([]float64{0, 1, 1, 1}, []float64{0.125, 0.1875, 1, 0.9375})
	want := []report.CalibrationBin{{Predicted: 0.15625, Observed: 0.5, Count: 2}, {Predicted: 0.96875, Observed: 1, Count: 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

func TestTop(t *testing.T) {
	names, importance := make([]string, 50), make([]float64, 50)
	for i := range names {
		names[i], importance[i] = string(rune('A'+i)), float64(i%10)/225
	}
	all := report.Top(names, importance, importance)
	if len(all) != 20 || all[0].Name != "J" || all[1].Name != "T" || *all[0].Coefficient != 9.0/225 {
		t.Errorf("%v", all)
	}
}
