package records

import (
	"errors"
	"strconv"
	"strings"
)

// Formulas says how CSV contains the values that a spreadsheet would evaluate.
type Formulas string

const (
	FormulasUnchanged Formulas = ""     // like all other values
	FormulasText      Formulas = "text" // as a Cell
)

// AppendRow appends a row of CSV, which ends with CRLF (RFC 4180). Unlike encoding/csv, it does not change line breaks in
// values.
func (f Formulas) AppendRow(b []byte, values []string) []byte {
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if f == FormulasText {
			value = Cell(value)
		}
		if strings.ContainsAny(value, "\",\r\n") || strings.TrimSpace(value) != value || len(values) == 1 && value == "" {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		b = append(b, value...)
	}
	return append(b, "\r\n"...)
}

// formulaStarts contains the characters with which spreadsheets begin to evaluate a cell.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// Cell returns a value as a cell of a CSV file. A spreadsheet would evaluate a text such as =HYPERLINK(…) as a formula,
// so such a text gets a leading apostrophe, which makes it a text there. Numbers, also negative ones, stay as they are.
func Cell(value string) string {
	if strings.IndexAny(value, formulaStarts) != 0 || isNumber(value) {
		return value
	}
	return "'" + value
}

// isNumber reports whether a text is a decimal number, of any magnitude.
func isNumber(text string) bool {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
