package records

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

// A class is the part of the order of a column to which a value belongs. The classes are in ascending order.
type class uint8

const (
	typed   class = iota // a number, a date or a boolean, as the type of the column states
	textual              // any other value
	absent               // last in both directions
)

// A value is a cell in a form that is ordered and compared by the type of its column. Equal values are ==.
type value struct {
	class class
	key   uint64 // in the order of the values
	text  string // decides between values with the same key; "" if the key is exact
}

// Numerical reports whether the numbers of a column are compared as numbers: at least half of its values are numbers.
func (c Column) Numerical() bool {
	return c.Type == Integer || c.Type == Number || c.Type == Text && c.Count > 0 && c.Numeric >= 0.5
}

// value returns the value of a cell. Numbers are exact, dates are instants with a resolution of 100 ns. A mark of a missing
// value is absent unless the column is text.
func (c Column) value(cell string) value {
	switch {
	case cell == "", c.Type != Text && Missing(cell):
		return value{class: absent}
	case c.Numerical():
		text := plain(cell, c.Decimal)
		if n, _, ok := parseAnyNumber(text); ok {
			return value{key: numberKey(n), text: digits(n, text)}
		}
	case c.Type == Date:
		if t, ok := parseDate(cell); ok {
			return value{key: integerKey(t.Unix()*instantsPerSecond + int64(t.Nanosecond())/(1e9/instantsPerSecond))}
		}
	case c.Type == Boolean:
		if isBoolean(cell) {
			return value{key: uint64(len("false") - len(strings.TrimSpace(cell)))}
		}
	}
	return value{textual, textKey(cell), cell}
}

// instantsPerSecond is the resolution of dates. With it, the instants of the years 0 to 9999 fit into 64 bits.
const instantsPerSecond = 1e7

// digits returns a number in its plain form with all digits, or "" if the float64 is exact.
func digits(n float64, cell string) string {
	if len(cell) <= exactDigits && !math.IsInf(n, 0) && n != 0 {
		return ""
	}
	exact, _ := decimal.Parse(certain(cell))
	if _, same := exact.Float64(); same {
		return ""
	}
	return exact.String()
}

// numberKey returns a key that has the order of the numbers.
func numberKey(n float64) uint64 {
	bits := math.Float64bits(n + 0) // -0 becomes 0
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// numberOf returns the number of a key.
func numberOf(key uint64) float64 {
	if key>>63 == 1 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}

func integerKey(i int64) uint64 { return uint64(i) ^ 1<<63 }

// integerOf returns the integer of a key.
func integerOf(key uint64) int64 { return int64(key ^ 1<<63) }

// textKey returns the first eight bytes of a text in lower case.
func textKey(s string) uint64 {
	for i := range min(len(s), 8) {
		if s[i] >= utf8.RuneSelf {
			s = strings.ToLower(s[:min(len(s), 32)])
			break
		}
	}
	var first [8]byte
	copy(first[:], s)
	for i, c := range first {
		if 'A' <= c && c <= 'Z' {
			first[i] += 'a' - 'A'
		}
	}
	return binary.BigEndian.Uint64(first[:])
}

// compare returns -1 if v precedes w, 0 if they are equal, and 1 otherwise. Texts are compared without case, and those that
// then are equal with it.
func (v value) compare(w value) int {
	if v.class != w.class {
		return cmp.Compare(v.class, w.class)
	}
	if v.key != w.key || v.text == w.text {
		return cmp.Compare(v.key, w.key)
	}
	if v.class == textual {
		return cmp.Or(strings.Compare(strings.ToLower(v.text), strings.ToLower(w.text)), strings.Compare(v.text, w.text))
	}
	return bound{numberOf(v.key), v.text}.compare(bound{numberOf(w.key), w.text})
}
