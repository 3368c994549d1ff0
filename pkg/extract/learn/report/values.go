package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/assay-project/assay/pkg/extract/axis"
	"github.com/assay-project/assay/pkg/extract/learn/score"
)

const (
	maxPoints   = 1_000
	maxFeatures = 20
)

// Parameters returns the parameters of a learner, by name.
func Parameters(of map[string]float64) []LearnerParameter {
	all := make([]LearnerParameter, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, LearnerParameter{name, of[name]})
	}
	return all
}

// Pairs returns at most 1,000 rows, evenly chosen, in their order.
func Pairs(actual, predicted []float64) []PredictedValue {
	all := make([]PredictedValue, 0, min(len(actual), maxPoints))
	for _, i := range spread(len(actual)) {
		all = append(all, PredictedValue{actual[i], predicted[i]})
	}
	return all
}

// spread returns at most maxPoints of the indexes below n at even distances, always with the first and the last.
func spread(n int) []int {
	count := min(n, maxPoints)
	all := make([]int, count)
	for i := range all {
		all[i] = i
		if n > count {
			all[i] = i * (n - 1) / (count - 1)
		}
	}
	return all
}

// Residuals returns the histogram of actual minus predicted values, in 12 to 30 bins between round numbers.
func Residuals(actual, predicted []float64) []ResidualBin {
	const bins = 30
	residuals := make([]float64, 0, len(actual))
	for i := range actual {
		if r := actual[i] - predicted[i]; finite(r) {
			residuals = append(residuals, r)
		}
	}
	if len(residuals) == 0 {
		return []ResidualBin{}
	}
	low, high := slices.Min(residuals), slices.Max(residuals)
	edges := axis.Ticks(low, high, bins)
	if len(edges) < 2 { // all residuals are alike
		return []ResidualBin{{From: low, To: math.Nextafter(high, math.Inf(1)), Count: len(residuals)}}
	}
	step := edges[1] - edges[0]
	if first := edges[0]; low < first {
		edges = slices.Insert(edges, 0, first-step)
	}
	edges = append(edges, edges[len(edges)-1]+step)
	all := make([]ResidualBin, len(edges)-1)
	for i := range all {
		all[i] = ResidualBin{From: edges[i], To: edges[i+1]}
	}
	for _, r := range residuals {
		at, found := slices.BinarySearch(edges, r)
		if !found {
			at--
		}
		all[min(max(at, 0), len(all)-1)].Count++
	}
	for len(all) > 1 && all[len(all)-1].Count == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// ROC returns the receiver operating characteristic of predicted probabilities of rows whose actual values are 0 or 1. It
// returns no points unless both occur.
func ROC(actual, predicted []float64) []ROCPoint {
	points, err := score.ROC(actual, predicted, maxPoints)
	if err != nil {
		return []ROCPoint{}
	}
	all := make([]ROCPoint, len(points))
	for i, p := range points {
		all[i] = ROCPoint{p.FalsePositives, p.TruePositives}
	}
	return all
}

// Calibration compares predicted probabilities with actual values, which are 0 or 1, in ten bins of equal width. It returns no
// bins if there are other values.
func Calibration(actual, predicted []float64) []CalibrationBin {
	bins, err := score.Calibration(actual, predicted, 10)
	if err != nil {
		return []CalibrationBin{}
	}
	all := make([]CalibrationBin, len(bins))
	for i, b := range bins {
		all[i] = CalibrationBin{b.Predicted, b.Observed, b.Rows}
	}
	return all
}

// Top returns the 20 most important features, the most important first. The slices are parallel; coefficients are nil unless
// the model is linear. Features without any importance are left out.
func Top(names []string, importance, coefficients []float64) []FeatureImportance {
	order := make([]int, 0, len(names))
	for i := range names {
		if importance[i] > 0 && finite(importance[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(importance[j], importance[i]) })
	all := make([]FeatureImportance, 0, maxFeatures)
	for _, i := range order[:min(len(order), maxFeatures)] {
		feature := FeatureImportance{Name: names[i], Share: importance[i]}
		if coefficients != nil {
			feature.Coefficient = Value(coefficients[i])
		}
		all = append(all, feature)
	}
	return all
}
