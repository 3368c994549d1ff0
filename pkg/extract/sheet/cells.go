package sheet

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/numberformat"
)

// rowReader reads the rows of one sheet.
type rowReader struct {
	part   *partReader
	book   *Workbook
	number int
	cells  []string // of the last row
}

// cell is the cell being read.
type cell struct {
	column int
	kind   string
	style  int
	text   strings.Builder
}

// next returns the next row, or io.EOF. Its cells are valid until the next call.
func (r *rowReader) next() (numberedRow, error) {
	row := numberedRow{cells: r.cells[:0]}
	var c cell
	inRow, inText := false, false
	size := 0
	for {
		t, err := r.part.token()
		if err != nil {
			if errors.Is(err, io.EOF) && inRow {
				return row, nil
			}
			return row, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				inRow = true
				r.number++
				if n, err := strconv.Atoi(attribute(t, "r")); err == nil && n > r.number && n <= 1<<20 {
					r.number = n
				}
				row.number = r.number
			case "c":
				c = cell{column: columnOf(attribute(t, "r")), kind: attribute(t, "t")}
				if c.column < 0 {
					c.column = len(row.cells)
				}
				c.style, _ = strconv.Atoi(attribute(t, "s"))
			case "v", "t":
				inText = true
			case "rPh":
				inText = false
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inText = false
			case "c":
				value := r.value(&c)
				if size += len(value); inRow && value != "" && c.column >= len(row.cells) && size <= maxRow {
					empty := len(row.cells)
					row.cells = slices.Grow(row.cells, c.column-empty+1)[:c.column+1]
					clear(row.cells[empty:])
					row.cells[c.column], r.cells = value, row.cells
				}
				if r.book.text > spare+perByte*(r.book.sheets-r.book.left) {
					return row, ErrRepeated
				}
			case "row":
				return row, nil
			}
		case xml.CharData:
			if inText && c.text.Len() < maxRow {
				c.text.Write(t)
			}
		}
	}
}

// value returns the text of a cell: numbers at full precision, dates in ISO 8601.
func (r *rowReader) value(c *cell) string {
	text := c.text.String()
	switch c.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(r.book.shared) {
			return ""
		}
		r.book.text += int64(len(r.book.shared[i]))
		return r.book.shared[i]
	case "b":
		if strings.TrimSpace(text) == "1" {
			return "true"
		}
		return "false"
	case "str", "inlineStr", "e", "d":
		return text
	}
	text = strings.TrimSpace(text)
	if c.style >= 0 && c.style < len(r.book.dates) && r.book.dates[c.style] != noDate {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return r.book.date(v, r.book.dates[c.style])
		}
	}
	return plainNumber(text)
}

// dateKind classifies number formats: no date, a date with or without a time, or a time only.
type dateKind int

const (
	noDate dateKind = iota
	dateOrTime
	timeOnly
)

// readStyles finds the cell styles with a date format.
func (w *Workbook) readStyles() error {
	formats := map[int]dateKind{}
	for _, r := range [][2]int{{14, 17}, {22, 22}, {27, 31}, {34, 36}, {50, 58}} {
		for id := r[0]; id <= r[1]; id++ {
			formats[id] = dateOrTime
		}
	}
	for _, id := range []int{18, 19, 20, 21, 32, 33, 45, 46, 47} {
		formats[id] = timeOnly
	}
	inCells := false
	return w.each("xl/styles.xml", func(e xml.StartElement) {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(attribute(e, "numFmtId")); err == nil && len(formats) < maxStyles {
				formats[id] = kindOf(attribute(e, "formatCode"))
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if inCells && len(w.dates) < maxStyles {
				id, _ := strconv.Atoi(attribute(e, "numFmtId"))
				w.dates = append(w.dates, formats[id])
			}
		}
	})
}

// kindOf classifies a format code.
func kindOf(code string) dateKind {
	switch isDate, timeOfDay := numberformat.Parse(code).Date(); {
	case timeOfDay:
		return timeOnly
	case isDate:
		return dateOrTime
	}
	return noDate
}

// date formats a serial date, in days.
func (w *Workbook) date(days float64, kind dateKind) string {
	if math.IsNaN(days) || days < 0 || days > 2_958_465 { // 31 December 9999
		return plainNumber(strconv.FormatFloat(days, 'g', -1, 64))
	}
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if w.from1904 {
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if days < 60 { // the 1900 date system has a 29 February 1900
		start = start.AddDate(0, 0, 1)
	}
	day := math.Floor(days)
	seconds := math.Round((days - day) * 86_400)
	t := start.AddDate(0, 0, int(day)).Add(time.Duration(seconds) * time.Second)
	switch {
	case kind == timeOnly && day == 0:
		return t.Format(time.TimeOnly)
	case seconds == 0:
		return t.Format(time.DateOnly)
	default:
		return t.Format("2006-01-02T15:04:05")
	}
}
