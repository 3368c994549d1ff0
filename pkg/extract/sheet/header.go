// Package sheet reads tables from CSV, TSV and XLSX files, row by row. Each row is a record, each cell a field.
package sheet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Names of the properties of rows.
const (
	Sheet = "sheet" // name of the sheet; workbooks only
	Row   = "row"   // row number in the sheet, from 1
)

// maxName is the maximum length of a column name, in bytes. A row with a longer cell is a header only if the options say so.
const maxName = 200

// header contains the column names of a table.
type header struct {
	names []string
	given bool // the names are from the first row
}

// newHeader returns the header of a table with the given number of columns, whose first row contains the names if given.
// Other columns are named by their number, as are those without a name.
func newHeader(first []string, columns int, given bool) header {
	h := header{given: given}
	taken := map[string]int{} // the next number of a repeated name
	for i := range max(columns, len(first)) {
		name := ""
		if given && i < len(first) {
			name = strings.Join(strings.Fields(first[i]), " ")
		}
		if name == "" {
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
		if cell != "" {
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
