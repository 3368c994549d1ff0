package records

import (
	"errors"
	"strconv"
	"strings"
)

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
