package numberformat

import (
	"strconv"
	"strings"
)

// decimal is a number of 15 digits, as many as Excel uses: 0.digits × 10^point.
type decimal struct {
	digits string // without trailing zeros; empty for 0
	point  int
}

func decimalOf(n float64) decimal {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', 14, 64), "e")
	digits := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	if digits == "" {
		return decimal{}
	}
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return decimal{} // not a finite number
	}
	return decimal{digits, e + 1}
}

// maxDecimals limits the digits on each side of the point.
const maxDecimals = 300

// round returns the digits before and after the point, rounded half up to a number of decimals. whole has no leading zeros.
func (d decimal) round(decimals int) (whole, rest string) {
	decimals = min(decimals, maxDecimals)
	digits, at := d.digits, d.point
	if at < 0 {
		digits, at = strings.Repeat("0", min(-at, maxDecimals))+digits, 0
	}
	if missing := at + decimals - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	kept := []byte("0" + digits[:at+decimals])
	if len(digits) > at+decimals && digits[at+decimals] >= '5' {
		i := len(kept) - 1
		for ; kept[i] == '9'; i-- {
			kept[i] = '0'
		}
		kept[i]++
	}
	return strings.TrimLeft(string(kept[:at+1]), "0"), string(kept[at+1:])
}

// General displays a number without a format: with at most 10 digits and 9 decimals, or else with an exponent and 6 digits.
func General(n float64) string {
	if n == 0 {
		return "0"
	}
	if n < 0 {
		return "-" + General(-n)
	}
	d := decimalOf(n)
	decimals := max(0, min(9, 10-d.point))
	whole, rest := d.round(decimals)
	exact := d.point > -4 || len(d.digits)-d.point <= 9
	if d.point > 11 || len(whole) > 11 || !exact {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'E', 5, 64), "E")
		return strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".") + "E" + exponent
	}
	if whole == "" {
		whole = "0"
	}
	return strings.TrimSuffix(whole+"."+strings.TrimRight(rest, "0"), ".")
}
