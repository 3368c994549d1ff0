package office

import (
	"math"
	"strconv"
	"strings"
)

const (
	// longNumber is the number of digits from which General displays a number with an exponent.
	longNumber = 12
	// maxDigits is the maximum number of digits of a number that is kept: larger ones are no identifiers.
	maxDigits = 20
	// maxNumbers is the maximum number of numbers that are kept.
	maxNumbers = 250_000
)

// number keeps the digits of a whole number of at least longNumber digits unless they are displayed.
func (p *parts) number(value, shown string) {
	digits := strings.TrimPrefix(strings.TrimSpace(value), "-")
	if len(digits) < len("1e11") || len(p.numbers) >= maxNumbers {
		return
	}
	if strings.Trim(digits, "0123456789") != "" {
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || n != math.Trunc(n) || n >= 1e20 {
			return
		}
		digits = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if len(digits) < longNumber || len(digits) > maxDigits || strings.Contains(shown, digits) {
		return
	}
	p.numbers = append(p.numbers, Number{digits, p.page})
}
