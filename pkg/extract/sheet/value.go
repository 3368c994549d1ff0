package sheet

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/assay-project/assay/pkg/extract/records"
)

// numberText matches a number with a decimal point or a decimal comma, digits in groups of three, an exponent or a percent
// sign.
var numberText = regexp.MustCompile(`^[+-]?(\d+|\d{1,3}([ .,'\x{a0}\x{202f}]\d{3})+|\d*[.,]\d+|\d+[.,]|\d{1,3}([ .,'\x{a0}\x{202f}]\d{3})+[.,]\d+)([eE][+-]?\d+)? ?%?$`)

// dateOrTimeText matches dates, which may be followed by a time, and times.
var dateOrTimeText = regexp.MustCompile(`^(` +
	`(\d{4}[./-]\d\d?[./-]\d\d?|\d\d?[./-]\d\d?[./-](\d{4}|\d\d))([T ]\d.*)?|` +
	`\d\d?:\d\d(:\d\d([.,]\d+)?)?)$`)

// isNumber reports whether a cell is a number, whatever its decimal mark.
func isNumber(cell string) bool {
	return cell != "" && cell[0] <= '9' && len(cell) <= 64 && numberText.MatchString(cell)
}

// isDate reports whether a cell is a date or a time.
func isDate(cell string) bool {
	return cell != "" && cell[0] >= '0' && cell[0] <= '9' && dateOrTimeText.MatchString(cell)
}

// isValue reports whether a cell is a number, a date or a time.
func isValue(cell string) bool { return isNumber(cell) || isDate(cell) }

// isMissing reports whether a cell has no value: it is empty, or a mark such as NA.
func isMissing(cell string) bool { return cell == "" || records.Missing(cell) }

// isKnown reports whether an unquoted cell has a usual form: a value, an amount of money, a mark for a missing value, an
// address, or words between which delimiters are followed by a space. A wrong delimiter leaves cells that have none.
func isKnown(cell string) bool {
	if isMissing(cell) || isValue(cell) || strings.Contains(cell, "://") && !strings.ContainsAny(cell, " \t") {
		return true
	}
	if isNumber(strings.TrimFunc(cell, func(r rune) bool { return unicode.Is(unicode.Sc, r) || r == ' ' })) {
		return true
	}
	if at := strings.IndexAny(cell, delimiters+`"`); at >= 0 {
		return at > 0 && at+1 < len(cell) && cell[at+1] == ' ' && isKnown(cell[at+2:])
	}
	return strings.ContainsFunc(cell, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// unitText matches a unit in brackets, as in (mg/L) or [nm].
var unitText = regexp.MustCompile(`^(\([^()]{1,16}\)|\[[^\[\]]{1,16}\])$`)

// unitParts matches a product of units with prefixes and exponents, as in mg/L, m s-1 or °C.
var unitParts = regexp.MustCompile(`^(1/)?` + unitPart + `([ ·*/.]` + unitPart + `)*$`)

const unitPart = `(%|‰|°|°[CF]|ppm|ppb|wt%|vol%|a\.u\.|arb\. units|rpm|deg|min|h|d|` +
	`[numµμckMG]?(m|g|s|L|l|M|mol|K|Pa|bar|J|W|V|A|Hz|eV|N|T|Ω|ohm|S|F|C|cal|Da|Torr))(\^?[-−]?[1-4²³]|[⁻]?[¹²³])?`

// isUnit reports whether a cell is a unit of measurement.
func isUnit(cell string) bool {
	return len(cell) <= 40 && (unitText.MatchString(cell) || unitParts.MatchString(cell))
}
