package spectrum

import (
	"fmt"
	"math"
	"strconv"
)

// Limits of one spectrum.
const (
	MaxPoints = 1 << 22 // in all curves; 64 MiB
	MaxCurves = 10_000
)

// ordinates decodes the numbers of one data table in ASDF: AFFN, PAC, SQZ, DIF and DUP, in any mixture.
type ordinates struct {
	values []float64 // ordinates so far
	limit  int       // maximum number of values

	last       float64 // the last ordinate
	difference float64 // the last difference, which DUP repeats
	inDIF      bool    // the last ordinate was a difference
	checks     int     // lines whose first ordinate differs from the last one of the previous line
}

// line decodes a line: it returns the abscissa and appends the ordinates. ok is false for a line
// without numbers.
func (o *ordinates) line(text string) (abscissa float64, ok bool, err error) {
	at := skip(text, 0)
	if at == len(text) {
		return 0, false, nil
	}
	number, at, err := affn(text, at)
	if err != nil {
		return 0, false, err
	}
	check := o.inDIF // the first ordinate repeats the last one
	for {
		if at = skip(text, at); at == len(text) {
			return number, true, nil
		}
		expected := o.last
		next, err := o.token(text, at, check)
		if err != nil {
			return 0, false, err
		}
		if check {
			if math.Abs(expected-o.last) > 0.5 && !math.IsNaN(o.last) {
				o.checks++
			}
			check = false
		}
		at = next
	}
}

// token decodes one ordinate or a repetition. It discards a check value.
func (o *ordinates) token(text string, at int, check bool) (next int, err error) {
	c := text[at]
	switch {
	case c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.':
		v, next, err := affn(text, at)
		if err != nil {
			return 0, err
		}
		o.inDIF = false
		return next, o.add(v, 1, check)
	case c == '?':
		o.inDIF = false
		return at + 1, o.add(math.NaN(), 1, check)
	case c == '@' || c >= 'A' && c <= 'I':
		v, next := digits(text, at+1, int(c-'@'))
		o.inDIF = false
		return next, o.add(v, 1, check)
	case c >= 'a' && c <= 'i':
		v, next := digits(text, at+1, int(c-'a')+1)
		o.inDIF = false
		return next, o.add(-v, 1, check)
	case c == '%' || c >= 'J' && c <= 'R' || c >= 'j' && c <= 'r':
		first, sign := 0, 1.0
		switch {
		case c >= 'j':
			first, sign = int(c-'j')+1, -1
		case c >= 'J':
			first = int(c-'J') + 1
		}
		v, next := digits(text, at+1, first)
		o.inDIF, o.difference = true, sign*v
		return next, o.add(o.last+o.difference, 1, check)
	case c >= 'S' && c <= 'Z' || c == 's':
		first := 9
		if c != 's' {
			first = int(c-'S') + 1
		}
		v, next := digits(text, at+1, first)
		if v > MaxPoints {
			return 0, fmt.Errorf("%q repeats %g times", text[at:next], v)
		}
		if !o.inDIF {
			return next, o.add(o.last, int(v)-1, check)
		}
		for range int(v) - 1 {
			if err := o.add(o.last+o.difference, 1, check); err != nil {
				return 0, err
			}
		}
		return next, nil
	default:
		return 0, fmt.Errorf("%q is not a number", word(text, at))
	}
}

func (o *ordinates) add(v float64, n int, check bool) error {
	o.last = v
	if check {
		return nil
	}
	if n > o.limit-len(o.values) {
		return fmt.Errorf("there are more than %d points", MaxPoints)
	}
	for range n {
		o.values = append(o.values, v)
	}
	return nil
}

// skip returns the index of the next value.
func skip(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == ',' || text[at] == ';' || text[at] == '\r') {
		at++
	}
	return at
}

// word returns the text at an index for an error message.
func word(text string, at int) string {
	end := at
	for end < len(text) && end < at+20 && skip(text, end) == end {
		end++
	}
	return text[at:end]
}

// exponent returns the index of the digits of an exponent that begins at an index, or 0 if none begins there.
func exponent(text string, at int, unsigned bool) int {
	if at >= len(text) || text[at]|0x20 != 'e' {
		return 0
	}
	at++
	switch {
	case at < len(text) && (text[at] == '+' || text[at] == '-'):
		at++
	case !unsigned:
		return 0
	}
	if at < len(text) && text[at] >= '0' && text[at] <= '9' {
		return at
	}
	return 0
}

// digits returns the number that consists of a first digit and the digits that follow.
func digits(text string, at, first int) (v float64, next int) {
	v = float64(first)
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		v = v*10 + float64(text[at]-'0')
		at++
	}
	if at < len(text) && text[at] == '.' {
		scale := 0.1
		for at++; at < len(text) && text[at] >= '0' && text[at] <= '9'; at++ {
			v += float64(text[at]-'0') * scale
			scale /= 10
		}
	}
	return v, at
}

// affn parses a decimal number of a table of ordinates. An E is an exponent only if a sign follows, since E is also a digit
// of SQZ.
func affn(text string, at int) (v float64, next int, err error) { return decimalAt(text, at, false) }

// affnPair parses a decimal number of a table of pairs or groups, in which there is no SQZ.
func affnPair(text string, at int) (v float64, next int, err error) { return decimalAt(text, at, true) }

// decimalAt parses a decimal number. unsigned means that an exponent needs no sign.
func decimalAt(text string, at int, unsigned bool) (v float64, next int, err error) {
	next = at
	if next < len(text) && (text[next] == '+' || text[next] == '-') {
		next++
	}
	for next < len(text) && (text[next] >= '0' && text[next] <= '9' || text[next] == '.') {
		next++
	}
	if power := exponent(text, next, unsigned); power > next {
		next = power
		for next < len(text) && text[next] >= '0' && text[next] <= '9' {
			next++
		}
	}
	v, err = strconv.ParseFloat(text[at:next], 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, 0, fmt.Errorf("%q is not a number", word(text, at))
	}
	return v, next, nil
}
