// Package spectrum reads spectra in JCAMP-DX: tables in AFFN, PAC, SQZ, DIF and DUP, peak tables, NTUPLES
// and the blocks of compound files.
package spectrum

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// A Spectrum is one block of a JCAMP-DX file, except LINK blocks.
type Spectrum struct {
	Title    string
	DataType string
	Fields   records.Fields // all labels except the data
	Curves   []Curve
	Problems []string // inconsistencies in the file
}

// A Curve is a table of points.
type Curve struct {
	Page           string // page of NTUPLES, such as F1=7.5
	PageUnits      string // units of the variable of the page
	XUnits, YUnits string
	Symbols        string    // of the abscissa and the ordinate, such as X,Y or T2,R
	X, Y           []float64 // of the same length; a missing ordinate is NaN
	Peaks          bool      // the points are peaks instead of samples of a curve
}

// ErrNotSpectrum means that a text is not a block of JCAMP-DX.
var ErrNotSpectrum = errors.New("not a JCAMP-DX block")

// Boundary returns a Boundary that finds the blocks of a file. The header of a LINK block belongs to no block. An END before
// the first table of a block ends a file of parameters that an instrument has put into the block, but not the block.
func Boundary() records.Boundary {
	began, ended, link, table := false, false, false, false
	return func(line []byte) records.Cut {
		if rest, found := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("##")); found {
			label, value, _ := strings.Cut(string(rest[:min(len(rest), 80)]), "=")
			switch key := canonical(label); key {
			case "TITLE":
				began, ended, link, table = true, false, false, false
				return records.Begins
			case "DATATYPE":
				if began && strings.HasPrefix(strings.ToUpper(strings.TrimSpace(value)), "LINK") {
					link = true
					return records.Discards
				}
			case "END":
				if began && !ended && !link && table {
					ended = true
					return records.Ends
				}
			default:
				table = table || isTable(key)
			}
		}
		if !began || ended || link {
			return records.Outside
		}
		return records.Inside
	}
}

// canonical returns the form of a label for comparison: without spaces, dashes, slashes and
// underscores.
func canonical(label string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "/", "", "_", "", "\t", "").Replace(label))
}

// isTable reports whether a canonical label is that of a table of points.
func isTable(key string) bool {
	switch key {
	case "XYDATA", "XYPOINTS", "PEAKTABLE", "PEAKASSIGNMENTS", "DATATABLE", "RADATA":
		return true
	}
	return false
}

// item is a labeled data record of the file.
type item struct {
	label string // as in the file
	key   string // canonical
	value string // the lines, without comments
	line  int    // of the label
}

// items splits a block into its labeled data records.
func items(text string) []item {
	var all []item
	var value strings.Builder
	flush := func() {
		if len(all) > 0 {
			all[len(all)-1].value = strings.TrimSpace(value.String())
		}
		value.Reset()
	}
	n := 0
	for line := range strings.Lines(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")) {
		n++
		line = strings.TrimRight(line, "\n")
		if rest, found := strings.CutPrefix(strings.TrimLeft(line, " \t\ufeff"), "##"); found {
			flush()
			label, first, _ := strings.Cut(rest, "=")
			label = strings.TrimSpace(label)
			all = append(all, item{label: label, key: canonical(label), line: n})
			line = first
		}
		if i := strings.Index(line, "$$"); i >= 0 {
			line = line[:i]
		}
		value.WriteString(line)
		value.WriteByte('\n')
	}
	flush()
	return all
}

// Parse parses a block. The error wraps ErrNotSpectrum and names the line and the token.
func Parse(text string) (*Spectrum, error) {
	all := items(text)
	if len(all) == 0 || all[0].key != "TITLE" {
		return nil, fmt.Errorf("%w: it does not begin with ##TITLE=", ErrNotSpectrum)
	}
	s := &Spectrum{}
	p := &parser{spectrum: s, values: map[string]string{}, budget: MaxPoints}
	for _, it := range all {
		switch it.key {
		case "TITLE":
			s.Title = it.value
		case "DATATYPE":
			s.DataType = it.value
		}
		if err := p.item(it); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Read reads one block as a record. A damaged record has an Error.
func Read(raw []byte) records.Record {
	text := records.Decode(raw)
	s, err := Parse(text)
	if err != nil {
		return records.Record{Error: err.Error(), Content: text}
	}
	r := records.Record{Name: s.Title, Fields: s.Fields, Content: text}
	s.describe(&r)
	return r
}
