package learntest

import (
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Friedman returns the set Friedman #1: the value is a function of the first five features that is not linear, plus noise of
// variance 1. The classes are whether it is greater than 14. Numbers are rounded, so that they do not depend on the accuracy
// of the sine.
func Friedman(task learn.Task, rows, columns int, seed uint64) learn.Data {
	d := learn.Data{
		Task: task, X: learn.Matrix{Rows: rows, Columns: columns, Values: make([]float64, rows*columns)},
		Y: make([]float64, rows),
	}
	random := generator(seed)
	for i := range rows {
		row := d.X.Row(i)
		for j := range row {
			row[j] = random.next()
		}
		noise := -6.0
		for range 12 {
			noise += random.next()
		}
		middle := row[2] - 0.5
		y := 10*math.Sin(math.Pi*row[0]*row[1]) + 20*middle*middle + 10*row[3] + 5*row[4] + noise
		switch {
		case task == learn.Regression:
			d.Y[i] = math.Floor(y*1e6+0.5) / 1e6
		case y > 14:
			d.Y[i] = 1
		}
	}
	return d
}
