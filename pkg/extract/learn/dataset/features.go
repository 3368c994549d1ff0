package dataset

import (
	"fmt"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/records"
)

// Features turns a record into the row of features of a model.
type Features struct {
	Columns []Feature `json:"columns,omitempty"`
	Bits    []int     `json:"bits,omitempty"` // of the fingerprint, ascending; they follow the columns
}

// Feature is a column that is a feature.
type Feature struct {
	Column
	Median   float64 `json:"median"`             // of the training rows; it replaces missing values
	Replaced int     `json:"replaced,omitempty"` // training rows without a value
}

// Len returns the number of features.
func (f Features) Len() int { return len(f.Columns) + len(f.Bits) }

// Names returns the names of the features in their order. A property with the name of a field is marked as computed.
func (f Features) Names() []string {
	fields := map[string]bool{}
	for _, c := range f.Columns {
		if !c.Property {
			fields[c.Name] = true
		}
	}
	names := make([]string, 0, f.Len())
	for _, c := range f.Columns {
		name := c.Name
		if c.Property && fields[name] {
			name += " (computed)"
		}
		names = append(names, name)
	}
	for _, bit := range f.Bits {
		names = append(names, fmt.Sprintf("fingerprint bit %d", bit))
	}
	return names
}

// Row appends the features of a record and its fingerprint, which is nil if it has none, to dst. It returns the number of
// columns without a value, which the median replaces, plus one if a fingerprint is missing.
func (f Features) Row(dst []float64, r *records.Record, of *fingerprint.Fingerprint) (row []float64, missing int) {
	at := cursor{-1, -1}
	for i := range f.Columns {
		n, _, ok := at.number(f.Columns[i].Column, r)
		if !ok {
			n = f.Columns[i].Median
			missing++
		}
		dst = append(dst, n)
	}
	if len(f.Bits) > 0 && of == nil {
		of = &fingerprint.Fingerprint{}
		missing++
	}
	for _, bit := range f.Bits {
		n := 0.0
		if of.Has(bit) {
			n = 1
		}
		dst = append(dst, n)
	}
	return dst, missing
}

// For returns the features for the records of another file with these columns, which may have another notation of numbers, and
// the names of the columns that the file lacks. Columns are found by name, without case if none is equal.
func (f Features) For(columns []records.Column) (other Features, lacking []string) {
	other = Features{Columns: append([]Feature(nil), f.Columns...), Bits: f.Bits}
	for i := range other.Columns {
		c := &other.Columns[i].Column
		var same []records.Column // of the same kind, so that a field is not replaced by a property
		for _, column := range columns {
			if column.Property == c.Property {
				same = append(same, column)
			}
		}
		found, ok := records.Find(c.Name, same)
		if !ok || !contains(same, found) {
			lacking = append(lacking, c.Name)
			continue
		}
		c.Name, c.Decimal = found.Name, found.Decimal
		if found.Type != records.Text { // a few texts among numbers or booleans are missing values
			c.Type = found.Type
		}
	}
	return other, lacking
}

// Plain returns the features for records whose numbers are written with a decimal point and without marks between groups of
// digits, as in JSON.
func (f Features) Plain() Features {
	f.Columns = append([]Feature(nil), f.Columns...)
	for i := range f.Columns {
		f.Columns[i].Decimal = ""
	}
	return f
}
