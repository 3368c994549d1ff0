package tree

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// gradientBin is the sum of the gradients of the rows in a bin.
type gradientBin struct {
	first, second float64
	rows          int
}

func (b *gradientBin) count(g gradient) {
	b.first += g.first
	b.second += g.second
	b.rows++
}

func (b *gradientBin) add(c gradientBin) {
	b.first += c.first
	b.second += c.second
	b.rows += c.rows
}

func (b gradientBin) minus(c gradientBin) gradientBin {
	return gradientBin{b.first - c.first, b.second - c.second, b.rows - c.rows}
}

// step returns the Newton step.
func (b gradientBin) step() float64 { return -b.first / (b.second + 1e-15) }

// decrease returns the decrease of the loss by a Newton step, times two.
func (b gradientBin) decrease() float64 { return -float64(b.step() * b.first) }

// histogram contains the bins of all features, one feature after the other.
type histogram []gradientBin

// layout is the index of the first bin of each feature in a histogram, followed by the length of the histogram.
type layout []int

func newLayout(b *Bins) layout {
	l := make(layout, 1, b.Columns()+1)
	for i, s := range b.features {
		l = append(l, l[i]+len(s.lower))
	}
	return l
}

// of returns the bins of a feature.
func (l layout) of(h histogram, f int) []gradientBin { return h[l[f]:l[f+1]] }

// count sets the histogram of rows, whose sum is total.
func (g *booster) count(h histogram, rows []int32, total gradientBin) {
	ordered := g.ordered[:len(rows)]
	for i, r := range rows {
		ordered[i] = g.gradients[r]
	}
	clear(h)
	// Two features at a time take less time than one, since the gradients are read once.
	features := g.bins.Columns()
	g.each((features+1)/2, len(rows), func(pair int) {
		f := 2 * pair
		bins1, column1 := g.layout.of(h, f), g.bins.column(f)
		if f+1 == features {
			countOne(bins1, column1, rows, ordered, total)
			return
		}
		bins2, column2 := g.layout.of(h, f+1), g.bins.column(f+1)
		if len(bins1) > 2 && len(bins2) > 2 {
			countTwo(bins1, bins2, column1, column2, rows, ordered)
			return
		}
		countOne(bins1, column1, rows, ordered, total)
		countOne(bins2, column2, rows, ordered, total)
	})
}

// countOne counts the rows of a feature in bins that are empty. Of two bins, as those of a bit of a fingerprint, it adds the
// rows of the second only.
func countOne(bins []gradientBin, column []uint8, rows []int32, ordered []gradient, total gradientBin) {
	if len(bins) > 2 {
		for i, r := range rows {
			bins[column[r]].count(ordered[i])
		}
		return
	}
	var second gradientBin
	for i, r := range rows {
		if column[r] != 0 {
			second.count(ordered[i])
		}
	}
	bins[0] = total.minus(second)
	if len(bins) == 2 {
		bins[1] = second
	}
}

// countTwo counts the rows of two features in bins that are empty.
func countTwo(bins1, bins2 []gradientBin, column1, column2 []uint8, rows []int32, ordered []gradient) {
	ordered = ordered[:len(rows)]
	column2 = column2[:len(column1)]
	for i, r := range rows {
		gradient := ordered[i]
		bins1[column1[r]].count(gradient)
		bins2[column2[r]].count(gradient)
	}
}

// each calls a function for each of some features or pairs of features, by all processors if that is worth it for the
// number of rows or bins of each. The work for a feature does not depend on other features, so that the number of processors
// does not change results.
func (g *booster) each(n, size int, f func(i int)) {
	const chunk = 8
	workers := min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk)
	if n*size < 1<<15 {
		workers = 1
	}
	if workers == 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var group errgroup.Group
	for range workers {
		group.Go(func() error {
			for {
				last := int(next.Add(chunk))
				if last-chunk >= n {
					return nil
				}
				for i := last - chunk; i < min(last, n); i++ {
					f(i)
				}
			}
		})
	}
	_ = group.Wait() // the workers return no error
}
