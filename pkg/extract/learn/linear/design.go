package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// chunkRows is the number of rows whose sums are added first. It is fixed, so that sums do not depend on the number of
// processors.
const chunkRows = 256

// matrix is a standardized matrix: a value is (x - mean) / deviation. It has only the columns that vary.
type matrix interface {
	// times sets out to the product of the matrix and a vector.
	times(ctx context.Context, v, out []float64) error
	// transposed returns the product of the transposed matrix and a vector.
	transposed(ctx context.Context, v []float64) ([]float64, error)
	// weighted returns the product of the transposed matrix and w*(product of the matrix and v + center), for a weight w of
	// each row, and the sum of that factor.
	weighted(ctx context.Context, w, v []float64, center float64) ([]float64, float64, error)
	// gram returns the products of the columns with each other, whose rows a function scales.
	gram(ctx context.Context, scale func(i int) float64) (symmetric, error)
	// dual returns the products of the rows with each other.
	dual(ctx context.Context) (symmetric, error)
	// costs returns about the multiplications of weighted and of gram.
	costs() (weighted, gram int)
}

// design describes rows of a matrix.
type design struct {
	x               learn.Matrix
	rows            []int
	mean, deviation []float64 // of all columns; deviation is 0 if the values are the same
	columns         []int     // columns that vary
	filled          []int     // values of each column that are not 0
}

func newDesign(ctx context.Context, x learn.Matrix, rows []int) (*design, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("no rows to learn from")
	}
	d := &design{
		x: x, rows: rows, mean: make([]float64, x.Columns), deviation: make([]float64, x.Columns), filled: make([]int, x.Columns),
	}
	n := float64(len(rows))
	err := d.eachRow(ctx, func(row []float64) {
		for j, v := range row {
			if v != 0 {
				d.mean[j] += v
				d.filled[j]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for j := range d.mean {
		d.mean[j] /= n
	}
	err = d.eachRow(ctx, func(row []float64) {
		for j, v := range row {
			v -= d.mean[j]
			d.deviation[j] += float64(v * v)
		}
	})
	if err != nil {
		return nil, err
	}
	for j, squares := range d.deviation {
		if math.IsNaN(squares) || math.IsInf(squares, 0) {
			return nil, fmt.Errorf("feature %d has values that are not finite or too large to square", j)
		}
		// As scikit-learn, take what the rounding of the mean can cause for no variation.
		s := math.Sqrt(squares / n)
		if s <= float64(n*0x1p-52)*math.Abs(d.mean[j]) || s < 0x1p-500 {
			d.deviation[j] = 0
			continue
		}
		d.deviation[j] = s
		d.columns = append(d.columns, j)
	}
	return d, nil
}

// matrix returns the standardized matrix.
func (d *design) matrix(ctx context.Context) (matrix, error) {
	if d.manyZeros() {
		return newSparse(ctx, d)
	}
	return &dense{d}, nil
}

func (d *design) eachRow(ctx context.Context, f func(row []float64)) error {
	for i, row := range d.rows {
		if i%chunkRows == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f(d.x.Row(row))
	}
	return nil
}

func chunks(rows int) int { return (rows + chunkRows - 1) / chunkRows }
