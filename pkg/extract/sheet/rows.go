package sheet

import (
	"archive/zip"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// maxRemarks is the maximum number of remarks on the sheets of a workbook.
const maxRemarks = 100

type numberedRow struct {
	number int
	cells  []string
}

// Next returns the next row that is not empty, or io.EOF after the last sheet. The Error of a damaged
// row is set.
func (w *Workbook) Next() (records.Record, error) {
	for {
		if len(w.ahead) > 0 {
			row := w.ahead[0]
			w.ahead = w.ahead[1:]
			return w.record(row), nil
		}
		if err := w.failed; err != nil && !errors.Is(err, io.EOF) {
			return records.Record{}, err
		}
		if w.failed != nil || w.rows == nil {
			if err := w.open(); err != nil {
				return records.Record{}, err
			}
			continue
		}
		row, err := w.row()
		if err == nil {
			return w.record(row), nil
		}
		w.failed = err
	}
}

// open opens the next sheet and finds the header of its table. It returns io.EOF after the last sheet.
func (w *Workbook) open() error {
	if w.current++; w.current >= len(w.Sheets) {
		return io.EOF
	}
	p, err := w.part(w.targets[w.current])
	if err != nil {
		return err
	}
	w.rows, w.failed = &rowReader{part: p, book: w}, nil
	var first []sampleRow
	for size, last := 0, 0; len(first) < sniffed && size < maxHead; {
		var row numberedRow
		if row, w.failed = w.row(); w.failed != nil {
			break
		}
		row.cells = slices.Clone(row.cells)
		for _, cell := range row.cells {
			size += len(cell)
		}
		w.ahead = append(w.ahead, row)
		first = append(first, sampleRow{cells: row.cells, apart: row.number > last+1 && last > 0})
		last = row.number
	}
	if len(first) == 0 {
		return nil
	}
	columns := 0
	for _, row := range first {
		columns = max(columns, len(row.cells))
	}
	for i, row := range first { // trailing empty cells are not stored
		first[i].cells = append(row.cells, make([]string, columns-len(row.cells))...)
	}
	o := opening(first, Options{}, len(w.Preamble) < maxHead && len(w.Units) < records.MaxFields)
	for _, row := range first[:o.start] {
		w.Preamble += strings.TrimSpace(strings.Join(row.cells, "\t")) + "\n"
	}
	for _, text := range o.texts(false)[:min(len(o.remarks), maxRemarks-len(w.Remarks))] {
		w.Remarks = append(w.Remarks, "Sheet "+w.Sheets[w.current]+": "+text)
	}
	for column, unit := range o.units {
		if w.Units == nil {
			w.Units = map[string]string{}
		}
		if other := w.Units[column]; other != "" && other != unit {
			unit = other + "; " + unit // of another sheet
		}
		w.Units[column] = unit
	}
	w.header, w.ahead = o.header, w.ahead[o.body:]
	return nil
}

// row returns the next row of the sheet that is not empty, or io.EOF. Its cells are valid until the next call.
func (w *Workbook) row() (numberedRow, error) {
	for {
		row, err := w.rows.next()
		if errors.Is(err, io.EOF) {
			if err := w.rows.part.source.Close(); err != nil && !errors.Is(err, zip.ErrChecksum) {
				return row, err
			}
			return row, io.EOF
		}
		if err != nil {
			return row, err
		}
		for i, cell := range row.cells {
			row.cells[i] = strings.TrimSpace(cell)
		}
		if !empty(row.cells) {
			return row, nil
		}
	}
}

// record returns the record of a row.
func (w *Workbook) record(row numberedRow) records.Record {
	for len(w.header.names) < len(row.cells) { // trailing empty cells are not stored
		w.header.names = append(w.header.names, columnName(len(w.header.names)))
	}
	r := w.header.record(row.cells)
	r.Properties = records.Properties{{Name: Sheet, Value: w.Sheets[w.current]}, {Name: Row, Value: int64(row.number)}}
	return r
}
