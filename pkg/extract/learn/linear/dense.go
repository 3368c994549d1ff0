package linear

import (
	"context"

	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// dense is a standardized matrix that does not copy the values.
type dense struct{ *design }

// scaled returns the values of v divided by the deviations, for all columns of the data.
func (d *dense) scaled(v []float64) []float64 {
	all := make([]float64, d.x.Columns)
	for k, j := range d.columns {
		all[j] = v[k] / d.deviation[j]
	}
	return all
}

func (d *dense) times(ctx context.Context, v, out []float64) error {
	u := d.scaled(v)
	return parallel(ctx, chunks(len(d.rows)), func(c int) {
		for i := c * chunkRows; i < min((c+1)*chunkRows, len(d.rows)); i++ {
			out[i] = exact.DotFrom(d.mean, d.x.Row(d.rows[i]), u)
		}
	})
}

func (d *dense) transposed(ctx context.Context, v []float64) ([]float64, error) {
	out, _, err := d.sums(ctx, func(i int, _ []float64) float64 { return v[i] })
	return out, err
}

func (d *dense) weighted(ctx context.Context, w, v []float64, center float64) ([]float64, float64, error) {
	u := d.scaled(v)
	return d.sums(ctx, func(i int, row []float64) float64 { return float64(w[i] * (exact.DotFrom(d.mean, row, u) + center)) })
}

// sums returns the sum of the rows with the weights that a function returns for their index and values, and the sum of the
// weights.
func (d *dense) sums(ctx context.Context, weight func(i int, row []float64) float64) ([]float64, float64, error) {
	parts, weights := make([][]float64, chunks(len(d.rows))), make([]float64, chunks(len(d.rows)))
	err := parallel(ctx, len(parts), func(c int) {
		part := make([]float64, d.x.Columns)
		var rows [4][]float64
		var w [4]float64
		for i := c * chunkRows; i < min((c+1)*chunkRows, len(d.rows)); i += len(rows) {
			for k := range rows {
				// The last rows are filled up by one of the weight 0.
				rows[k], w[k] = rows[0], 0
				if i+k < min((c+1)*chunkRows, len(d.rows)) {
					rows[k] = d.x.Row(d.rows[i+k])
					w[k] = weight(i+k, rows[k])
					weights[c] += w[k]
				}
			}
			addFrom(d.mean, &rows, &w, part)
		}
		parts[c] = part
	})
	if err != nil {
		return nil, 0, err
	}
	sum, total := make([]float64, len(d.columns)), 0.0
	for c, part := range parts {
		for k, j := range d.columns {
			sum[k] += part[j]
		}
		total += weights[c]
	}
	for k, j := range d.columns {
		sum[k] /= d.deviation[j]
	}
	return sum, total, nil
}

func (d *dense) costs() (weighted, gram int) {
	n, p := len(d.rows), len(d.columns)
	return 2 * n * p, n * p * p / 2
}

// addFrom adds (row - origin) * w of each row to sum.
func addFrom(origin []float64, rows *[4][]float64, w *[4]float64, sum []float64) {
	n := len(sum)
	origin, r0, r1, r2, r3 := origin[:n], rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for j := range sum {
		o := origin[j]
		sum[j] += (float64((r0[j]-o)*w0) + float64((r1[j]-o)*w1)) + (float64((r2[j]-o)*w2) + float64((r3[j]-o)*w3))
	}
}

func (d *dense) gram(ctx context.Context, scale func(i int) float64) (symmetric, error) {
	n := len(d.rows)
	return products(ctx, len(d.columns), chunks(n), func(c int, block [][]float64) {
		from, to := c*chunkRows, min((c+1)*chunkRows, n)
		for i, row := range d.rows[from:to] {
			values, factor := d.x.Row(row), scale(from+i)
			for k, j := range d.columns {
				block[k][i] = (values[j] - d.mean[j]) / d.deviation[j] * factor
			}
		}
		for k := range d.columns {
			clear(block[k][to-from:])
		}
	})
}

func (d *dense) dual(ctx context.Context) (symmetric, error) {
	p := len(d.columns)
	return products(ctx, len(d.rows), chunks(p), func(c int, block [][]float64) {
		columns := d.columns[c*chunkRows : min((c+1)*chunkRows, p)]
		for i, row := range d.rows {
			values := d.x.Row(row)
			for k, j := range columns {
				block[i][k] = (values[j] - d.mean[j]) / d.deviation[j]
			}
			clear(block[i][len(columns):])
		}
	})
}
