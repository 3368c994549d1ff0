package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn"
)

const (
	// copied is the correlation with the values to predict above which a column is probably derived from them.
	copied = 0.9999
	// suspect is the correlation above which it may be.
	suspect = 0.99
	// maxRanked is the number of rows whose ranks are compared.
	maxRanked = 5_000
)

// prune removes the columns that are not features by their values in the rows, replaces missing values, and sets the data.
func (b *builder) prune() error {
	y := make([]float64, len(b.examples))
	for i, e := range b.examples {
		y[i] = e.y
		b.set.Records = append(b.set.Records, e.record)
	}
	kept, features := []int{}, Features{}
	column, seen := make([]float64, b.x.Rows), map[[sha256.Size]byte]string{}
	for j, c := range b.columns {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		b.x.column(j, column)
		if reason := b.judge(j, column, y); reason != "" {
			b.drop(c, reason, "")
			continue
		}
		f := Feature{Column: c}
		f.Median, f.Replaced = replace(column)
		sum := digest(column)
		if other, found := seen[sum]; found {
			b.drop(c, Duplicate, other)
			continue
		}
		seen[sum] = c.Name
		b.x.set(j, column)
		kept = append(kept, j)
		features.Columns = append(features.Columns, f)
		b.set.Report.Replaced += f.Replaced
	}
	for j, bit := range b.bits {
		b.x.column(len(b.columns)+j, column)
		if slices.Min(column) < slices.Max(column) { // not constant in a sample
			kept = append(kept, len(b.columns)+j)
			features.Bits = append(features.Bits, bit)
		}
	}
	if len(kept) == 0 {
		return b.rejected("no other field of the file can be learned from")
	}
	b.x.keep(kept)
	b.set.Features = features
	b.set.Data = learn.Data{Task: b.set.Target.Task, X: b.x.Matrix, Y: y}
	b.set.Report.Rows = b.x.Rows
	b.reportColumns()
	return nil
}

// judge returns why a column is not a feature, or "". It remarks on one that may be derived from the values to predict.
func (b *builder) judge(j int, column, y []float64) Reason {
	x, of := make([]float64, 0, len(column)), make([]float64, 0, len(column))
	for i, n := range column {
		if !math.IsNaN(n) {
			x, of = append(x, n), append(of, y[i])
		}
	}
	switch {
	case len(x) == 0:
		return Gaps
	case slices.Min(x) == slices.Max(x):
		return Constant
	case b.named[j] && distinctIntegers(x), b.numbers[j] && distinctIntegers(x) && inOrder(x):
		return Identifier
	case b.numbers[j] && distinctIntegers(x):
		b.remark("The values of %s are different integers with few gaps; check that they do not number the records.", b.columns[j].Name)
	}
	target, likeness := b.set.Target, math.Abs(correlation(x, of))
	if target.Task == learn.Regression && len(x) >= 2*MinRows { // also the logarithm of the values to predict
		step := (len(x) + maxRanked - 1) / maxRanked
		likeness = max(likeness, math.Abs(correlation(ranks(x, step), ranks(of, step))))
	}
	switch {
	case likeness > copied:
		return Leakage
	case likeness > suspect:
		b.remark("The values of %s follow those of %s closely; check that they are not derived from them.", b.columns[j].Name, target.Column.Name)
	case target.Task == learn.Classification && separates(x, of):
		b.remark("The values of %s alone separate the records with %s from those with %s; check that they are not derived from %s.",
			b.columns[j].Name, target.Classes[0], target.Classes[1], target.Column.Name)
	}
	return ""
}

// distinctIntegers reports whether all values are different integers.
func distinctIntegers(x []float64) bool {
	sorted := slices.Sorted(slices.Values(x))
	for i, n := range sorted {
		if n != math.Trunc(n) || i > 0 && n == sorted[i-1] {
			return false
		}
	}
	return true
}

// inOrder reports whether the values ascend or descend.
func inOrder(x []float64) bool {
	reverse := func(a, b float64) int { return cmp.Compare(b, a) }
	return slices.IsSorted(x) || slices.IsSortedFunc(x, reverse)
}

// correlation returns the coefficient of Pearson, or 0 if a sum is beyond the range of a float64.
func correlation(x, y []float64) float64 {
	n, meanX, meanY := float64(len(x)), 0.0, 0.0
	for i := range x {
		meanX += x[i] / n
		meanY += y[i] / n
	}
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
	}
	r := xy / float64(math.Sqrt(xx)*math.Sqrt(yy))
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return 0
	}
	return r
}

// ranks returns the ranks of every step-th value; equal values have the mean of their ranks.
func ranks(x []float64, step int) []float64 {
	var some []float64
	for i := 0; i < len(x); i += step {
		some = append(some, x[i])
	}
	order := make([]int, len(some))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(some[a], some[b]), cmp.Compare(a, b)) })
	out := make([]float64, len(some))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && some[order[to]] == some[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

// separates reports whether all values of one class are less than all of the other one.
func separates(x, y []float64) bool {
	lows, highs := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, n := range x {
		class := int(y[i])
		lows[class], highs[class] = min(lows[class], n), max(highs[class], n)
	}
	return highs[0] < lows[1] || highs[1] < lows[0]
}

// replace replaces missing values by the median of the others, and returns it and the number of values replaced.
func replace(column []float64) (median float64, replaced int) {
	var sorted []float64
	for _, n := range column {
		if !math.IsNaN(n) {
			sorted = append(sorted, n)
		}
	}
	slices.Sort(sorted)
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	median = low/2 + high/2
	if low == high {
		median = low
	}
	for i, n := range column {
		if math.IsNaN(n) {
			column[i] = median
			replaced++
		}
	}
	return median, replaced
}

// digest identifies the values of a column or a row.
func digest(values []float64) [sha256.Size]byte {
	b := make([]byte, 0, 8*len(values))
	for _, n := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(n+0)) // -0 becomes 0
	}
	return sha256.Sum256(b)
}

// reportColumns lists the columns that are left out, in the order of the plan.
func (b *builder) reportColumns() {
	report := &b.set.Report
	report.Columns = slices.Clone(b.plan.Excluded)
	for _, c := range b.plan.Columns {
		if excluded, found := b.dropped[c]; found {
			report.Columns = append(report.Columns, excluded)
		}
	}
}
