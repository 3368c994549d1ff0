package records

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

// A Type is the type of all values of a column.
type Type string

// The types. All values of a column have its type; an Integer column is also a column of numbers.
const (
	Integer Type = "integer"
	Number  Type = "number"
	Date    Type = "date"
	Boolean Type = "boolean"
	Text    Type = "text"
)

// parseNumber is like parseAnyNumber, but rejects numbers beyond the range of a float64, which have no statistics.
func parseNumber(s string) (value float64, integer, ok bool) {
	value, integer, ok = parseAnyNumber(s)
	if math.IsInf(value, 0) || value == 0 && strings.ContainsAny(s, "123456789") {
		if n, _ := decimal.Parse(certain(s)); !n.Representable() {
			return 0, false, false
		}
	}
	return value, integer, ok
}

// parseAnyNumber parses a decimal number with an optional exponent, or one with a standard uncertainty, such as 293(2). The
// value of a number beyond the range of a float64 is an infinity or 0. Digits with leading zeros are rejected: they are a
// code rather than a number.
func parseAnyNumber(s string) (value float64, integer, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 {
		return 0, false, false
	}
	if certain := certain(s); certain != s {
		value, _, ok = parseAnyNumber(certain)
		return value, false, ok
	}
	digits := s
	if s[0] == '+' || s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false, false
	}
	integer = true
	for i := range len(digits) {
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
		case c == '.', i > 0 && (c == 'e' || c == 'E'), i > 1 && (c == '-' || c == '+'):
			integer = false
		default:
			return 0, false, false
		}
	}
	value, err := strconv.ParseFloat(s, 64)
	return value, integer, err == nil || errors.Is(err, strconv.ErrRange)
}

// certain returns a number without its standard uncertainty, which is one or more digits in parentheses (IUCr, CIF 1.1).
func certain(s string) string {
	number, rest, found := strings.Cut(s, "(")
	digits, closed := strings.CutSuffix(rest, ")")
	if !found || !closed || number == "" || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return s
	}
	return number
}

var dateLayouts = []string{time.DateOnly, time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}

// parseDate parses an ISO 8601 date, or date and time. Without a time zone it is in UTC.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 10 || len(s) > 40 || s[4] != '-' || s[7] != '-' {
		return time.Time{}, false
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// missing contains the marks of a missing value, as the reader of pandas has them (STR_NA_VALUES), and those of CIF and
// spreadsheets.
var missing = map[string]bool{
	"": true, "NA": true, "N/A": true, "n/a": true, "na": true, "#N/A": true, "#N/A N/A": true, "#NA": true, "<NA>": true, "NaN": true, "nan": true, "-NaN": true,
	"-nan": true, "NULL": true, "null": true, "None": true, "1.#IND": true, "-1.#IND": true, "1.#QNAN": true, "-1.#QNAN": true, "-": true, "--": true, "?": true, ".": true,
}

// Missing reports whether a text stands for a missing value, such as NA. It counts neither for the type of a column nor for
// its statistics.
func Missing(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || len(s) <= 8 && strings.IndexByte("#-.1<?Nn", s[0]) >= 0 && missing[s]
}

func isBoolean(s string) bool {
	s = strings.TrimSpace(s)
	return strings.EqualFold(s, "true") || strings.EqualFold(s, "false")
}

// Decode returns the text of a file without a declared charset: UTF-8 if valid, otherwise
// Windows-1252.
func Decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(text)
}
