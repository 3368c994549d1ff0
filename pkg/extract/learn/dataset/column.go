package dataset

import (
	"math"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Column describes how the values of a column are read.
type Column struct {
	Name     string       `json:"name"`
	Property bool         `json:"property,omitempty"`
	Type     records.Type `json:"type"`
	Decimal  string       `json:"decimal,omitempty"` // as in records.Column
	Unit     string       `json:"unit,omitempty"`
}

func newColumn(c records.Column) Column {
	return Column{c.Name, c.Property, c.Type, c.Decimal, c.Unit}
}

func (c Column) number(cell string) (n float64, missing, ok bool) {
	return records.Column{Type: c.Type, Decimal: c.Decimal}.Number(cell)
}

// cursor finds the values of a record by name. It searches from the value that it found last, because the columns are mostly
// in the order of the values.
type cursor struct{ field, property int }

// largest is the magnitude above which numbers are not used, so that the squares of all values are finite.
const largest = 1e100

// number returns the value of a column of a record. missing means that there is none; ok is false for other values that are
// not numbers up to largest.
func (at *cursor) number(c Column, r *records.Record) (n float64, missing, ok bool) {
	n, missing, ok = at.find(c, r)
	return n, missing, ok && math.Abs(n) <= largest
}

func (at *cursor) find(c Column, r *records.Record) (n float64, missing, ok bool) {
	if !c.Property {
		for range r.Fields {
			at.field++
			if at.field >= len(r.Fields) {
				at.field = 0
			}
			if r.Fields[at.field].Name == c.Name {
				return c.number(r.Fields[at.field].Value)
			}
		}
		return 0, true, false
	}
	for range r.Properties {
		at.property++
		if at.property >= len(r.Properties) {
			at.property = 0
		}
		if r.Properties[at.property].Name != c.Name {
			continue
		}
		switch v := r.Properties[at.property].Value.(type) {
		case float64:
			return v, false, true
		case int64:
			return float64(v), false, true
		case bool:
			if v {
				n = 1
			}
			return n, false, true
		case string:
			return c.number(v)
		}
		return 0, false, false
	}
	return 0, true, false
}

// survey contains statistics of a column.
type survey struct {
	used     int // rows with a number
	min, max float64

	// Of all records that have not failed:
	count     int
	fractions bool // a number is not an integer
	low, high float64
}

// add adds the value of a record; used reports whether the record is a row.
func (s *survey) add(n float64, used bool) {
	if s.count == 0 {
		s.low, s.high = n, n
	}
	s.count++
	s.low, s.high = min(s.low, n), max(s.high, n)
	s.fractions = s.fractions || n != math.Trunc(n)
	if !used {
		return
	}
	if s.used == 0 {
		s.min, s.max = n, n
	}
	s.used++
	s.min, s.max = min(s.min, n), max(s.max, n)
}

// reason returns why the column of rows is not a feature, or "".
func (s *survey) reason(rows int) Reason {
	switch {
	case 2*s.used < rows || s.used == 0:
		return Gaps
	case s.min == s.max:
		return Constant
	}
	return ""
}

// numbers reports whether the values number the records if they are distinct: they are integers with few gaps.
func (s *survey) numbers() bool {
	return !s.fractions && s.high-s.low < 1.5*float64(s.count)
}
