// Package learntest makes data for tests of learners.
package learntest

import (
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Data returns data made by a formula, which testdata/reference.py repeats. All features share a factor, and their units
// differ; feature 1 does not vary, and feature 2 is twice feature 0. Groups have one to three rows.
func Data(task learn.Task, rows, columns int, seed uint64) learn.Data {
	d := learn.Data{
		Task: task, X: learn.Matrix{Rows: rows, Columns: columns, Values: make([]float64, rows*columns)},
		Y: make([]float64, rows), Groups: make([]int, rows),
	}
	random := generator(seed)
	units := []float64{1, 0.01, 250, 8}
	group := 0
	for i := range rows {
		factor, sum, row := random.next(), 0.0, d.X.Row(i)
		for j := range row {
			x := factor + float64(2*random.next()) - 1
			sum += float64(x * float64(j%5-2))
			row[j] = float64(x*units[j%4]) + float64(j)
		}
		if columns > 2 {
			row[1], row[2] = 0.1, 2*row[0]
		}
		y := sum + float64(4*random.next()) - 2
		if task == learn.Classification {
			d.Y[i] = 0
			if y > 0.5 {
				d.Y[i] = 1
			}
		} else {
			d.Y[i] = float64(3*y) + 100
		}
		if random.next() > 0.3 {
			group++
		}
		d.Groups[i] = group
	}
	return d
}

// Bits returns data like fingerprints of molecules: one of about 20 features is 1 in a row and the others are 0, except for
// the last feature, which has numbers.
func Bits(task learn.Task, rows, columns int, seed uint64) learn.Data {
	d := learn.Data{
		Task: task, X: learn.Matrix{Rows: rows, Columns: columns, Values: make([]float64, rows*columns)}, Y: make([]float64, rows),
	}
	random := generator(seed)
	for i := range rows {
		row, sum := d.X.Row(i), 0.0
		for j := range columns - 1 {
			if random.next() < 0.1*float64(j+1)/float64(columns) {
				row[j] = 1
				sum += float64(j%7) - 3
			}
		}
		row[columns-1] = 300 + float64(50*random.next())
		if d.Y[i] = sum + float64(3*random.next()); task == learn.Classification {
			d.Y[i] = math.Floor(1 / (1 + max(0, d.Y[i])))
		}
	}
	return d
}

// Rows returns the numbers of all rows.
func Rows(d learn.Data) []int {
	rows := make([]int, d.X.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// generator is Knuth's linear congruential generator of 64 bits.
type generator uint64

// next returns a number from 0 below 1.
func (g *generator) next() float64 {
	*g = *g*6364136223846793005 + 1442695040888963407
	return float64(uint64(*g)>>11) / (1 << 53)
}
