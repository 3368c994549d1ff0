package spectrum

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Formats returns the formats of files with spectra.
func Formats() []records.Format {
	return []records.Format{{
		Name: "jdx", Media: "chemical/x-jcamp-dx",
		Boundary: Boundary, Read: Read, Draw: draw, Tables: tables, Write: records.WriteContent,
		Example: "##TITLE= curve\n##JCAMP-DX= 4.24\n##FIRSTX= 1\n##DELTAX= 1\n##XYDATA= (X++(Y..Y))\n1 5 6 7\n##END=\n",
	}}
}

// HasSpectra reports whether a text that begins with head is a JCAMP-DX file.
func HasSpectra(head []byte) bool {
	return records.BeginsWith(head, "##TITLE=") && bytes.Contains(head, []byte("##JCAMP"))
}

func draw(content string) ([]byte, error) {
	s, err := Parse(content)
	if err != nil {
		return nil, records.NotDrawn(err)
	}
	return records.Drawing(s.SVG())
}

// tables returns the points of each curve. The name of a table is the page of the curve.
func tables(content string) ([]records.Table, error) {
	s, err := Parse(content)
	if err != nil {
		return nil, err
	}
	var all []records.Table
	for _, c := range s.Curves {
		x, y, _ := strings.Cut(c.Symbols, ",")
		all = append(all, records.Table{
			Name: c.Page, Columns: []string{heading(x, c.XUnits), heading(y, c.YUnits)}, Rows: len(c.X),
			Row: func(i int) []string { return []string{cellOf(c.X[i]), cellOf(c.Y[i])} },
		})
	}
	return all, nil
}

func heading(symbol, units string) string {
	if units == "" {
		return symbol
	}
	return symbol + " (" + units + ")"
}

// cellOf returns a coordinate with all of its digits, or "" for a missing one.
func cellOf(v float64) string {
	if !finite(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
