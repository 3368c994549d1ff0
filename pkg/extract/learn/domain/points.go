package domain

import (
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// points are training rows with standardized features.
type points struct {
	means, deviations []float64 // of all training rows; a deviation of a constant feature is 1
	values            []float64 // row by row
}

// newPoints returns some of the training rows.
func newPoints(x learn.Matrix, rows []int) *points {
	p := &points{means: make([]float64, x.Columns), deviations: make([]float64, x.Columns)}
	n := float64(max(1, x.Rows))
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			p.means[j] += v / n
		}
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			d := v - p.means[j]
			p.deviations[j] += float64(d*d) / n
		}
	}
	for j, square := range p.deviations {
		if p.deviations[j] = math.Sqrt(square); p.deviations[j] == 0 || math.IsInf(square, 0) {
			p.deviations[j] = 1
		}
	}
	for _, i := range rows {
		p.values = append(p.values, p.standardize(x.Row(i))...)
	}
	return p
}

func (p *points) standardize(row []float64) []float64 {
	out := make([]float64, len(p.means))
	for j, v := range row {
		out[j] = (v - p.means[j]) / p.deviations[j]
	}
	return out
}

func (p *points) len() int {
	if len(p.means) == 0 {
		return 0
	}
	return len(p.values) / len(p.means)
}

func (p *points) row(i int) []float64 { return p.values[i*len(p.means) : (i+1)*len(p.means)] }

// nearest returns the similarity of a standardized row to the nearest one. except is the index of that row if it is one of
// them, or -1.
func (p *points) nearest(row []float64, except int) float64 {
	least := math.Inf(1)
	for i := range p.len() {
		if i != except {
			least = min(least, p.distance(row, p.row(i), least))
		}
	}
	return 1 / (1 + math.Sqrt(least/float64(len(p.means))))
}

// distance returns the square of the distance of two rows, or a number that is not less than enough if the distance is not. A
// distance that is not a number is infinite. It adds four sums, which do not wait for each other.
func (p *points) distance(a, b []float64, enough float64) float64 {
	var sums [4]float64
	b = b[:len(a)]
	j := 0
	for ; j+4 <= len(a); j += 4 {
		d0, d1, d2, d3 := a[j]-b[j], a[j+1]-b[j+1], a[j+2]-b[j+2], a[j+3]-b[j+3]
		sums[0] += float64(d0 * d0)
		sums[1] += float64(d1 * d1)
		sums[2] += float64(d2 * d2)
		sums[3] += float64(d3 * d3)
		if j%32 == 28 && sums[0]+sums[1]+sums[2]+sums[3] >= enough {
			return enough
		}
	}
	for ; j < len(a); j++ {
		d := a[j] - b[j]
		sums[0] += float64(d * d)
	}
	sum := sums[0] + sums[1] + sums[2] + sums[3]
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}
