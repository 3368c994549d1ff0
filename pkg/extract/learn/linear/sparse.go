package linear

import (
	"context"
	"sort"

	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// A matrix is sparse if at most one of 8 values is stored, as of the fingerprints of molecules.
const sparseShare = 8

// sparse is a standardized matrix most of whose values are those of 0. Its values are stored value - shift.
type sparse struct {
	*design
	shift   []float64 // of each column that varies
	starts  []int     // of each row in the following slices, and their end
	indexes []int32   // of columns, ascending in a row
	values  []float64 // that are not 0
}

// full reports whether all values of a column are stored. It is so for columns with less than half of their values 0, where the
// difference to the shift would not be exact.
func (d *design) full(column int) bool { return 2*d.filled[column] > len(d.rows) }

// stored returns the number of values that a sparse matrix has.
func (d *design) stored() int {
	n := 0
	for _, j := range d.columns {
		if d.full(j) {
			n += len(d.rows)
		} else {
			n += d.filled[j]
		}
	}
	return n
}

func (d *design) manyZeros() bool { return sparseShare*d.stored() <= len(d.rows)*len(d.columns) }

func newSparse(ctx context.Context, d *design) (*sparse, error) {
	n := d.stored()
	s := &sparse{
		design: d, shift: make([]float64, len(d.columns)), starts: make([]int, 1, len(d.rows)+1),
		indexes: make([]int32, 0, n), values: make([]float64, 0, n),
	}
	origin := make([]float64, len(d.columns))
	for k, j := range d.columns {
		if d.full(j) {
			origin[k] = d.mean[j]
		} else {
			s.shift[k] = d.mean[j] / d.deviation[j]
		}
	}
	err := d.eachRow(ctx, func(row []float64) {
		for k, j := range d.columns {
			if v := row[j] - origin[k]; v != 0 {
				s.indexes = append(s.indexes, int32(k))
				s.values = append(s.values, v/d.deviation[j])
			}
		}
		s.starts = append(s.starts, len(s.values))
	})
	return s, err
}

// row returns the stored values of a row and their columns.
func (s *sparse) row(i int) ([]int32, []float64) {
	from, to := s.starts[i], s.starts[i+1]
	return s.indexes[from:to], s.values[from:to]
}

// dot returns the product of a row, not shifted, and a vector.
func (s *sparse) dot(i int, v []float64) float64 {
	indexes, values := s.row(i)
	sum := 0.0
	for k, x := range values {
		sum += float64(x * v[indexes[k]])
	}
	return sum
}

func (s *sparse) times(ctx context.Context, v, out []float64) error {
	shift := exact.Dot(s.shift, v)
	return parallel(ctx, chunks(len(s.rows)), func(c int) {
		for i := c * chunkRows; i < min((c+1)*chunkRows, len(s.rows)); i++ {
			out[i] = s.dot(i, v) - shift
		}
	})
}

func (s *sparse) transposed(ctx context.Context, v []float64) ([]float64, error) {
	out, total, err := s.sums(ctx, func(i int) float64 { return v[i] })
	s.move(out, total)
	return out, err
}

func (s *sparse) weighted(ctx context.Context, w, v []float64, center float64) ([]float64, float64, error) {
	center -= exact.Dot(s.shift, v)
	out, total, err := s.sums(ctx, func(i int) float64 { return float64(w[i] * (s.dot(i, v) + center)) })
	s.move(out, total)
	return out, total, err
}

// move subtracts what the shift of the columns adds to sums of rows.
func (s *sparse) move(sums []float64, total float64) {
	for k := range sums {
		sums[k] -= float64(s.shift[k] * total)
	}
}

// sums returns the sum of the rows, not shifted, with weights, and the sum of the weights. It adds rows one after the other:
// they have few values.
func (s *sparse) sums(ctx context.Context, weight func(i int) float64) ([]float64, float64, error) {
	sum, total := make([]float64, len(s.columns)), 0.0
	for i := range s.rows {
		if i%chunkRows == 0 && ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		w := weight(i)
		total += w
		indexes, values := s.row(i)
		for k, x := range values {
			sum[indexes[k]] += float64(x * w)
		}
	}
	return sum, total, nil
}

func (s *sparse) costs() (weighted, gram int) {
	for i := range s.rows {
		n := s.starts[i+1] - s.starts[i]
		gram += n * n / 2
	}
	return 2 * len(s.values), gram
}

// stripe is the number of rows of products that are computed by one processor at a time.
const stripe = 64

func (s *sparse) gram(ctx context.Context, scale func(i int) float64) (symmetric, error) {
	square := func(i int) float64 { return float64(scale(i) * scale(i)) }
	sums, total, err := s.sums(ctx, square)
	if err != nil {
		return symmetric{}, err
	}
	g := newSymmetric(len(s.columns))
	stripes := (g.n + stripe - 1) / stripe
	err = parallel(ctx, stripes, func(part int) {
		part = stripes - 1 - part // that with the most values first
		from, to := part*stripe, min((part+1)*stripe, g.n)
		for i := range s.rows {
			indexes, values := s.row(i)
			first := sort.Search(len(indexes), func(k int) bool { return int(indexes[k]) >= from })
			w := square(i)
			for a := first; a < len(indexes) && int(indexes[a]) < to; a++ {
				row, x := g.row(int(indexes[a])), values[a]*w
				for b, y := range values[:a+1] {
					row[indexes[b]] += float64(x * y)
				}
			}
		}
		for k := from; k < to; k++ {
			row := g.row(k)
			for j := range row {
				row[j] += float64(float64(s.shift[k]*s.shift[j])*total) - float64(s.shift[k]*sums[j]) - float64(sums[k]*s.shift[j])
			}
		}
	})
	return g, err
}

func (s *sparse) dual(ctx context.Context) (symmetric, error) {
	g := newSymmetric(len(s.rows))
	shifts, square := make([]float64, g.n), exact.Dot(s.shift, s.shift)
	for i := range shifts {
		shifts[i] = s.dot(i, s.shift)
	}
	err := parallel(ctx, (g.n+stripe-1)/stripe, func(part int) {
		all := make([]float64, len(s.columns))
		for i := part * stripe; i < min((part+1)*stripe, g.n); i++ {
			indexes, values := s.row(i)
			for k, x := range values {
				all[indexes[k]] = x
			}
			row := g.row(i)
			for j := range row {
				row[j] = s.dot(j, all) - shifts[i] - shifts[j] + square
			}
			for _, k := range indexes {
				all[k] = 0
			}
		}
	})
	return g, err
}
