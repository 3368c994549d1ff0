// Package sheet reads tables from CSV, TSV and XLSX files, row by row. Each row is a record, each cell a field.
package sheet

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Names of the properties of rows.
const (
	Sheet = "sheet" // name of the sheet; workbooks only
	Row   = "row"   // row number in the sheet, from 1
)

// maxName is the maximum length of a column name, in bytes.
const maxName = 200

// header contains the column names of a table.
type header struct {
	names []string
	given bool // the names are from the first row
}

// newHeader decides whether the first row contains the column names: it does if no cell is a number or a date.
// Otherwise columns are named by their number, as are those without a name.
func newHeader(first []string) header {
	h := header{given: len(first) > 0}
	for _, cell := range first {
		if len(cell) > maxName || isValue(strings.TrimSpace(cell)) {
			h.given = false
		}
	}
	taken := map[string]int{} // the next number of a repeated name
	for i, cell := range first {
		name := strings.Join(strings.Fields(cell), " ")
		if !h.given || name == "" {
			name = columnName(i)
		}
		for base := name; taken[name] > 0; {
			taken[base]++
			name = fmt.Sprintf("%s (%d)", base, taken[base])
		}
		taken[name] = 1
		h.names = append(h.names, name)
	}
	return h
}

// isValue reports whether a cell is a number, a date or a time.
func isValue(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || dateOrTimeText.MatchString(cell)
}

// dateOrTimeText matches dates, which may be followed by a time, and times.
var dateOrTimeText = regexp.MustCompile(`^(` +
	`(\d{4}[./-]\d\d?[./-]\d\d?|\d\d?[./-]\d\d?[./-](\d{4}|\d\d))([T ]\d.*)?|` +
	`\d\d?:\d\d(:\d\d([.,]\d+)?)?)$`)

func columnName(i int) string { return "column " + strconv.Itoa(i+1) }

// record returns the record of a row. If the row has more cells than the table has columns, the record has an Error.
func (h *header) record(row []string) records.Record {
	for len(row) > len(h.names) && strings.TrimSpace(row[len(row)-1]) == "" {
		row = row[:len(row)-1]
	}
	if len(row) > len(h.names) {
		return records.Record{Error: fmt.Sprintf("the row has %d cells, but the table has %d columns", len(row), len(h.names))}
	}
	r := records.Record{Fields: make(records.Fields, 0, len(row))}
	for i, cell := range row {
		if cell = strings.TrimSpace(cell); cell != "" {
			r.Fields = append(r.Fields, records.Field{Name: h.names[i], Value: cell})
		}
	}
	return r
}

func empty(row []string) bool {
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}
