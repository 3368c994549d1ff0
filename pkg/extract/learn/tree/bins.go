package tree

import (
	"bytes"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// MaxBins is the greatest number of bins of a feature.
const MaxBins = 255

const wordBits = 64

// Bins is a matrix whose values are replaced by the numbers of the bins that they are in. It takes a byte for each value.
// It is not changed after it is made, so that models of all folds and parameters share it.
type Bins struct {
	rows     int
	codes    []uint8 // column by column
	features []scale
	// rare are the rows in the second bin of each feature that has two bins and few such rows, as a bit of a fingerprint has;
	// nil for other features.
	rare [][]uint32
	// bits are, row by row in words words, whether a feature of two bins is in the second.
	bits  []uint64
	words int
}

// scale divides the values of a feature into bins. Bin i contains the values from lower[i] to upper[i].
type scale struct {
	lower, upper []float64
	edges        []float64 // edges[i] is between upper[i] and lower[i+1]
}

// Bin divides the values of each column, which must be finite, into bins. A column of at most [MaxBins] distinct values has
// a bin for each; otherwise a bin contains adjacent values, and the bins contain about equally many rows.
func Bin(x learn.Matrix) *Bins {
	b := &Bins{
		rows:     x.Rows,
		codes:    make([]uint8, x.Rows*x.Columns),
		features: make([]scale, x.Columns),
		rare:     make([][]uint32, x.Columns),
		words:    (x.Columns + wordBits - 1) / wordBits,
	}
	b.bits = make([]uint64, x.Rows*b.words)
	const chunk = wordBits // columns, so that two workers do not change one word
	var next atomic.Int64
	var workers errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() error {
			values, sorted := make([]float64, x.Rows), make([]float64, x.Rows)
			for {
				last := int(next.Add(chunk))
				if last-chunk >= x.Columns {
					return nil
				}
				for f := last - chunk; f < min(last, x.Columns); f++ {
					b.bin(x, f, values, sorted)
				}
			}
		})
	}
	_ = workers.Wait() // the workers return no error
	return b
}

// Rows returns the number of rows.
func (b *Bins) Rows() int { return b.rows }

// Columns returns the number of features.
func (b *Bins) Columns() int { return len(b.features) }

// column returns the bins of a feature in each row.
func (b *Bins) column(f int) []uint8 { return b.codes[f*b.rows : (f+1)*b.rows] }

// bin divides the values of a column. It overwrites values and sorted.
func (b *Bins) bin(x learn.Matrix, f int, values, sorted []float64) {
	for i := range values {
		values[i] = x.Values[i*x.Columns+f]
	}
	if distinct, ok := few(values); ok {
		sorted = distinct // which are all that the scale depends on then
	} else {
		copy(sorted, values)
	}
	slices.Sort(sorted)
	s := newScale(sorted)
	b.features[f] = s
	column := b.column(f)
	for i := range column {
		column[i] = s.code(values[i])
	}
	if len(s.lower) == 2 {
		b.rare[f] = rows(column)
		for i, code := range column {
			b.bits[i*b.words+f/wordBits] |= uint64(code) << (f % wordBits)
		}
	}
}

// second reports whether a row is in the second bin of a feature that has two.
func (b *Bins) second(row uint32, f int32) bool {
	return b.bits[int(row)*b.words+int(f/wordBits)]>>(f%wordBits)&1 != 0
}

// rows returns the rows in the second of two bins, or nil if they are more than an eighth of all.
func rows(column []uint8) []uint32 {
	n := bytes.Count(column, []byte{1})
	if n > len(column)/8 {
		return nil
	}
	rows := make([]uint32, 0, n)
	for i, code := range column {
		if code == 1 {
			rows = append(rows, uint32(i)) //nolint:gosec // a row of a matrix in memory
		}
	}
	return rows
}

// few returns the distinct values if there are only a few, as in fingerprints of molecules.
func few(values []float64) ([]float64, bool) {
	const limit = 4
	distinct := make([]float64, 0, limit)
	for _, v := range values {
		switch {
		case slices.Contains(distinct, v):
		case len(distinct) == limit:
			return nil, false
		default:
			distinct = append(distinct, v)
		}
	}
	return distinct, true
}

// code returns the bin of a value: the number of edges that are less.
func (s *scale) code(v float64) uint8 {
	low, high := 0, len(s.edges)
	for low < high {
		if middle := (low + high) / 2; s.edges[middle] < v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return uint8(low) //nolint:gosec // at most MaxBins-1 edges
}

// newScale divides sorted values.
func newScale(sorted []float64) scale {
	distinct := 0
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			distinct++
		}
	}
	var s scale
	for i := 0; i < len(sorted); {
		// A bin contains at least one value. It takes others until it contains its share of the rows that remain, unless
		// there are enough bins for all values that remain.
		bins := MaxBins - len(s.lower)
		share := (len(sorted) - i + bins - 1) / bins
		end := endOfRun(sorted, i)
		distinct--
		for distinct > bins-1 && end-i < share {
			end = endOfRun(sorted, end)
			distinct--
		}
		s.lower = append(s.lower, sorted[i])
		s.upper = append(s.upper, sorted[end-1])
		i = end
	}
	for i := 1; i < len(s.lower); i++ {
		s.edges = append(s.edges, between(s.upper[i-1], s.lower[i]))
	}
	return s
}

// endOfRun returns the index after the last of the values that equal sorted[i].
func endOfRun(sorted []float64, i int) int {
	end := i + 1
	for end < len(sorted) && sorted[end] == sorted[i] {
		end++
	}
	return end
}
