package records

import "strings"

// Number returns the number of a cell of the column, that of a boolean being 0 or 1. missing means that the cell is empty or
// contains a mark such as NA. ok is false for any other text that is not a number within the range of a float64.
func (c Column) Number(cell string) (n float64, missing, ok bool) {
	if Missing(cell) {
		return 0, true, false
	}
	if c.Type == Boolean && isBoolean(cell) {
		if strings.EqualFold(strings.TrimSpace(cell), "true") {
			n = 1
		}
		return n, false, true
	}
	n, _, ok = parseNumber(plain(cell, c.Decimal))
	return n, false, ok
}
