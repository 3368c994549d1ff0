package score

import (
	"cmp"
	"slices"
)

// AUC returns the area under the ROC curve. Rows of the same prediction count half. It returns [learn.ErrOneClass] if all rows have
// the same value, and [ErrRows] or [ErrNumber] for other invalid arguments.
func AUC(y, predicted []float64) (float64, error) {
	steps, err := descend(y, predicted)
	if err != nil {
		return 0, err
	}
	last := steps[len(steps)-1]
	pairs := 0 // twice those in the right order
	for i, s := range steps[1:] {
		pairs += (s.zeros - steps[i].zeros) * (s.ones + steps[i].ones)
	}
	return float64(pairs) / float64(2*last.zeros*last.ones), nil
}

// Point is a point of a ROC curve: what happens if rows are predicted as 1 from a threshold.
type Point struct {
	FalsePositives float64 `json:"falsePositives"` // share of the rows with the value 0 that are predicted as 1
	TruePositives  float64 `json:"truePositives"`  // share of the rows with the value 1 that are predicted as 1
	Threshold      float64 `json:"threshold"`      // the probability; that of the first point is above all predictions
}

// ROC returns the ROC curve, from the point where no row is predicted as 1 to that where all are. Points on the line between
// their neighbours are left out, and so are some of others if there are more than most, which is at least 2. It returns the
// errors of [AUC].
func ROC(y, predicted []float64, most int) ([]Point, error) {
	steps, err := descend(y, predicted)
	if err != nil {
		return nil, err
	}
	corners := steps[:1:1]
	for i, s := range steps[1:] {
		before := corners[len(corners)-1]
		if next := i + 2; next < len(steps) {
			a := (s.zeros - before.zeros) * (steps[next].ones - s.ones)
			if a == (s.ones-before.ones)*(steps[next].zeros-s.zeros) {
				continue
			}
		}
		corners = append(corners, s)
	}
	n := min(len(corners), max(most, 2))
	points, last := make([]Point, n), steps[len(steps)-1]
	for i := range points {
		s := corners[i*(len(corners)-1)/(n-1)]
		points[i] = Point{float64(s.zeros) / float64(last.zeros), float64(s.ones) / float64(last.ones), s.threshold}
	}
	return points, nil
}

// step counts the rows of each value whose prediction is not below a threshold.
type step struct {
	threshold   float64
	zeros, ones int
}

// descend returns the steps for all predictions from the highest, after one without rows.
func descend(y, predicted []float64) ([]step, error) {
	if err := checkClasses(y, predicted); err != nil {
		return nil, err
	}
	order := make([]int, len(y))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(predicted[b], predicted[a]) })
	steps := []step{{threshold: predicted[order[0]] + 1}}
	for _, i := range order {
		s := steps[len(steps)-1]
		if predicted[i] != s.threshold || len(steps) == 1 {
			steps = append(steps, s)
		}
		s.threshold = predicted[i]
		if y[i] == 1 {
			s.ones++
		} else {
			s.zeros++
		}
		steps[len(steps)-1] = s
	}
	return steps, nil
}
