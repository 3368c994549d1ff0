package records

import (
	"bufio"
	"io"
)

// A Table is a table that a record contains, such as a loop of a CIF or the points of a spectrum. Row returns the cells of a
// row, counted from 0, one for each column.
type Table struct {
	Name    string // "" if the record does not name it
	Columns []string
	Rows    int
	Row     func(i int) []string
}

// WriteCSV writes the table with a header. Its cells are unchanged.
func (t Table) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := FormulasUnchanged.AppendRow(nil, t.Columns)
	for i := range t.Rows {
		if _, err := out.Write(line); err != nil {
			return err
		}
		line = FormulasUnchanged.AppendRow(line[:0], t.Row(i))
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	return out.Flush()
}
