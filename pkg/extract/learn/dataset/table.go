package dataset

import "github.com/assay-project/assay/pkg/extract/learn"

// table is a matrix that is being made.
type table struct{ learn.Matrix }

// column copies a column to dst.
func (t table) column(j int, dst []float64) {
	for i := range t.Rows {
		dst[i] = t.Values[i*t.Columns+j]
	}
}

// set sets a column.
func (t table) set(j int, column []float64) {
	for i, n := range column {
		t.Values[i*t.Columns+j] = n
	}
}

// keep removes all columns but some, which ascend.
func (t *table) keep(columns []int) {
	to := 0
	for i := range t.Rows {
		row := t.Values[i*t.Columns : (i+1)*t.Columns]
		for _, j := range columns {
			t.Values[to] = row[j]
			to++
		}
	}
	t.Columns, t.Values = len(columns), t.Values[:to:to]
}
