// Package axis places the ticks of the axes of plots.
package axis

import "math"

// Ticks returns about n round numbers from low to high, in ascending order. It returns none if the range is empty or not
// finite.
func Ticks(low, high float64, n int) []float64 {
	rough := (high - low) / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= rough {
			step = m * power
			break
		}
	}
	var all []float64
	if step <= 0 || !finite(step) {
		return nil
	}
	for i := range 2*n + 2 {
		tick := (math.Ceil(low/step) + float64(i)) * step
		if tick > high || !finite(tick) {
			break
		}
		all = append(all, tick)
	}
	return all
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
