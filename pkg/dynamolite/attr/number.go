package attr

import (
	"math/bits"
	"strconv"
)

const (
	maxDigits    = 38
	maxMagnitude = 125  // exponent of the first digit of the largest number
	minMagnitude = -130 // exponent of the first digit of the smallest positive number
)

// Number is an exact decimal: a coefficient of up to 38 digits times a power
// of ten, as DynamoDB stores it. It is canonical (the coefficient has no
// trailing zero, zero has no sign), so that == is numeric equality. The zero
// Number is 0.
type Number struct {
	hi, lo uint64 // coefficient, 128 bits; below 10^38
	exp    int16  // power of ten of the coefficient's last digit
	neg    bool
}

// NumberOf returns n as a Number.
func NumberOf(n int64) Number {
	if n < 0 {
		return canonical(true, uint128{lo: -uint64(n)}, 0)
	}
	return canonical(false, uint128{lo: uint64(n)}, 0)
}

// ParseNumber reads a decimal with optional sign, point and exponent, such as
// "-1.50E+3". Its errors are *ValidationError with DynamoDB's messages: not a
// number, more than 38 significant digits, magnitude outside 1E-130 to
// 9.99…E+125.
func ParseNumber(s string) (Number, error) {
	if s == "" {
		return Number{}, &ValidationError{msgNotNumeric}
	}
	bad := func() (Number, error) {
		return Number{}, &ValidationError{msgNotNumeric + ": " + s}
	}
	rest := s
	neg := rest[0] == '-'
	if neg || rest[0] == '+' {
		rest = rest[1:]
	}
	// digits counts the significant digits added to coef; zeros counts the zeros
	// since the last nonzero digit, which are added only if another digit follows.
	var coef uint128
	digits, zeros, fraction := 0, 0, 0
	seen, point := false, false
	i := 0
scan:
	for ; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			break scan
		}
		seen = true
		if point {
			fraction++
		}
		if c == '0' {
			if digits > 0 {
				zeros++
			}
			continue
		}
		digits += zeros + 1
		if digits <= maxDigits {
			for range zeros {
				coef = coef.times10()
			}
			coef = coef.times10().plus(uint128{lo: uint64(c - '0')})
		}
		zeros = 0
	}
	if !seen {
		return bad()
	}
	exp, ok := parseExponent(rest[i:])
	if !ok {
		return bad()
	}
	exp += int64(zeros) - int64(fraction)
	if digits == 0 {
		return Number{}, nil
	}
	if err := checkRange(exp+int64(digits)-1, digits); err != nil {
		return Number{}, err
	}
	return Number{hi: coef.hi, lo: coef.lo, exp: int16(exp), neg: neg}, nil
}

// parseExponent reads "", or "E" with an optional sign and digits. Exponents
// beyond ±2^32 are clamped: any such number is out of range.
func parseExponent(s string) (exp int64, ok bool) {
	if s == "" {
		return 0, true
	}
	if s[0] != 'e' && s[0] != 'E' || len(s) == 1 {
		return 0, false
	}
	s = s[1:]
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		exp = min(exp*10+int64(s[i]-'0'), 1<<32)
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

func checkRange(magnitude int64, digits int) error {
	switch {
	case magnitude > maxMagnitude:
		return &ValidationError{msgOverflow}
	case magnitude < minMagnitude:
		return &ValidationError{msgUnderflow}
	case digits > maxDigits:
		return &ValidationError{msgPrecision}
	}
	return nil
}

// IsZero reports whether n is 0.
func (n Number) IsZero() bool { return n.hi == 0 && n.lo == 0 }

// Int64 returns n as an integer; ok is false if n is not an integer or if its
// magnitude exceeds math.MaxInt64.
func (n Number) Int64() (i int64, ok bool) {
	if n.IsZero() {
		return 0, true
	}
	if n.exp < 0 || n.exp > 18 {
		return 0, false
	}
	coef := uint128{n.hi, n.lo}
	for range n.exp {
		coef = coef.times10()
		if coef.hi != 0 {
			return 0, false
		}
	}
	if coef.hi != 0 || coef.lo > 1<<63-1 {
		return 0, false
	}
	if n.neg {
		return -int64(coef.lo), true
	}
	return int64(coef.lo), true
}

// String returns n in the form that DynamoDB returns: plain decimal, without an
// exponent and without superfluous zeros.
func (n Number) String() string {
	var buf [maxMagnitude - minMagnitude + 4]byte
	return string(n.append(buf[:0]))
}

func (n Number) append(dst []byte) []byte {
	if n.IsZero() {
		return append(dst, '0')
	}
	if n.neg {
		dst = append(dst, '-')
	}
	var buf [maxDigits]byte
	digits := uint128{n.hi, n.lo}.appendDecimal(buf[:0])
	point := len(digits) + int(n.exp) // digits before the decimal point
	switch {
	case n.exp >= 0:
		return appendZeros(append(dst, digits...), int(n.exp))
	case point > 0:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	default:
		dst = appendZeros(append(dst, "0."...), -point)
		return append(dst, digits...)
	}
}

func appendZeros(dst []byte, count int) []byte {
	for range count {
		dst = append(dst, '0')
	}
	return dst
}

// digits returns the number of digits of the coefficient; n must not be 0.
func (n Number) digits() int { return uint128{n.hi, n.lo}.digits() }

// uint128 is an unsigned 128-bit integer.
type uint128 struct{ hi, lo uint64 }

func (u uint128) plus(v uint128) uint128 {
	lo, carry := bits.Add64(u.lo, v.lo, 0)
	hi, _ := bits.Add64(u.hi, v.hi, carry)
	return uint128{hi, lo}
}

func (u uint128) minus(v uint128) uint128 {
	lo, borrow := bits.Sub64(u.lo, v.lo, 0)
	hi, _ := bits.Sub64(u.hi, v.hi, borrow)
	return uint128{hi, lo}
}

func (u uint128) less(v uint128) bool {
	return u.hi < v.hi || u.hi == v.hi && u.lo < v.lo
}

func (u uint128) times10() uint128 {
	hi, lo := bits.Mul64(u.lo, 10)
	return uint128{u.hi*10 + hi, lo}
}

func (u uint128) divide(by uint64) (quotient uint128, remainder uint64) {
	quotient.hi, remainder = u.hi/by, u.hi%by
	quotient.lo, remainder = bits.Div64(remainder, u.lo, by)
	return quotient, remainder
}

// e19 is the largest power of ten that fits in 64 bits.
const e19 = 10_000_000_000_000_000_000

// appendDecimal appends the digits of u, which is below 10^38.
func (u uint128) appendDecimal(dst []byte) []byte {
	high, low := u.divide(e19)
	if high.lo == 0 {
		return strconv.AppendUint(dst, low, 10)
	}
	dst = strconv.AppendUint(dst, high.lo, 10)
	dst = appendZeros(dst, 19-digits(low))
	if low == 0 {
		return dst
	}
	return strconv.AppendUint(dst, low, 10)
}

// digits returns the number of decimal digits of u, which is below 10^39.
func (u uint128) digits() int {
	count := 0
	if u.hi != 0 || u.lo >= e19 {
		u, _ = u.divide(e19)
		count = 19
	}
	if u.hi != 0 {
		return maxDigits + 1
	}
	return count + digits(u.lo)
}

// digits returns the number of decimal digits of n; 0 has none.
func digits(n uint64) int {
	least := bits.Len64(n) * 1233 >> 12 // 1233/4096 is about log10(2)
	if n < powersOfTen[least] {
		return least
	}
	return least + 1
}

var powersOfTen = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}
