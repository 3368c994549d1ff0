// Package decimal reads decimal numbers without rounding them. It does no arithmetic.
package decimal

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is a decimal number with any number of digits. Equal numbers are ==. The zero Number is 0.
type Number struct {
	negative bool
	digits   string // significant digits without leading and trailing zeros; empty for 0
	exponent int64  // power of ten of the first digit
}

// maxExponent limits the exponents that are distinguished. No program stores a number beyond it.
const maxExponent = 1 << 40

// Parse reads a decimal number with an optional sign, point and exponent, such as -1.50E+3. ok is false for
// other text.
func Parse(s string) (n Number, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		n.negative = s[0] == '-'
		s = s[1:]
	}
	coefficient := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		coefficient = s[:i]
		if n.exponent, ok = parseExponent(s[i+1:]); !ok {
			return Number{}, false
		}
	}
	whole, fraction, _ := strings.Cut(coefficient, ".")
	if whole+fraction == "" || !onlyDigits(whole) || !onlyDigits(fraction) {
		return Number{}, false
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return Number{}, true
	}
	n.exponent += int64(len(digits) - 1 - len(fraction))
	n.digits = strings.TrimRight(digits, "0")
	return n, true
}

// Of returns x with the fewest digits that identify it. ok is false for infinities and NaN.
func Of(x float64) (n Number, ok bool) { return Parse(strconv.FormatFloat(x, 'e', -1, 64)) }

func parseExponent(s string) (exponent int64, ok bool) {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) == len(s) {
		digits = strings.TrimPrefix(s, "+")
	}
	if digits == "" || !onlyDigits(digits) {
		return 0, false
	}
	exponent, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || exponent > maxExponent {
		exponent = maxExponent
	}
	if s[0] == '-' {
		exponent = -exponent
	}
	return exponent, true
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// IsZero reports whether n is 0.
func (n Number) IsZero() bool { return n.digits == "" }

// Digits returns the number of significant digits. 0 has none.
func (n Number) Digits() int { return len(n.digits) }

// Exponent returns the power of ten of the first digit, which is 0 for 0.
func (n Number) Exponent() int64 { return n.exponent }

// Compare returns -1 if n is less than m, 0 if they are equal, and 1 otherwise.
func (n Number) Compare(m Number) int {
	if c := cmp.Compare(n.sign(), m.sign()); c != 0 || n.IsZero() {
		return c
	}
	c := cmp.Or(cmp.Compare(n.exponent, m.exponent), strings.Compare(n.digits, m.digits))
	if n.negative {
		return -c
	}
	return c
}

func (n Number) sign() int {
	switch {
	case n.IsZero():
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// Float64 returns the nearest float64, and whether its shortest decimal form is n, so that no digit is lost.
func (n Number) Float64() (x float64, exact bool) {
	x, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return x, false // an infinity
	}
	same, _ := Of(x)
	return x, same == n
}

// Representable reports whether a float64 can represent n with its precision: n is 0, or its magnitude is that of a
// finite float64 other than 0.
func (n Number) Representable() bool {
	x, _ := n.Float64()
	return !math.IsInf(x, 0) && (x != 0 || n.IsZero())
}

// Numbers are written without an exponent if they are at least 1E-6 and have at most 38 digits before the point.
const (
	minPlain = -6
	maxPlain = 37
)

// String returns n in a form that is also a JSON number: without superfluous zeros, and with an exponent if n is
// very large or close to 0.
func (n Number) String() string {
	if n.IsZero() {
		return "0"
	}
	sign := ""
	if n.negative {
		sign = "-"
	}
	switch point := n.exponent + 1; { // digits before the point
	case n.exponent < minPlain, n.exponent > maxPlain:
		mantissa := n.digits[:1]
		if len(n.digits) > 1 {
			mantissa += "." + n.digits[1:]
		}
		return fmt.Sprintf("%s%se%+d", sign, mantissa, n.exponent)
	case point <= 0:
		return sign + "0." + strings.Repeat("0", int(-point)) + n.digits
	case point >= int64(len(n.digits)):
		return sign + n.digits + strings.Repeat("0", int(point)-len(n.digits))
	default:
		return sign + n.digits[:point] + "." + n.digits[point:]
	}
}
