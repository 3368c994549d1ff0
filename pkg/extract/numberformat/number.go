package numberformat

import (
	"fmt"
	"strconv"
	"strings"
)

// showNumber displays a number that is not negative.
func (s section) showNumber(n float64) string {
	d := decimalOf(n)
	d.point += 2*s.percents - 3*s.scale
	pointAt := s.find(point)
	var whole, rest []int // indexes of the digits
	for i, t := range s.tokens {
		switch {
		case t.kind != digit:
		case pointAt >= 0 && i > pointAt:
			rest = append(rest, i)
		default:
			whole = append(whole, i)
		}
	}
	left, right := d.round(len(rest))
	shown := s.literals(n)
	s.fill(shown, whole, left, s.grouped)
	if len(whole) == 0 && pointAt >= 0 {
		shown[pointAt] = left + shown[pointAt]
	}
	s.fillDecimals(shown, rest, right)
	return strings.Join(shown, "")
}

// literals returns what each token displays apart from digits.
func (s section) literals(n float64) []string {
	shown := make([]string, len(s.tokens))
	for i, t := range s.tokens {
		switch t.kind {
		case digit:
		case standard:
			shown[i] = General(n)
		default:
			shown[i] = t.text
		}
	}
	return shown
}

var pads = map[string]string{"0": "0", "?": " "}

// fill displays digits in the places of tokens, from the right. The first place has all digits that are left.
func (s section) fill(shown []string, places []int, digits string, grouped bool) {
	for c := range len(places) {
		i := places[len(places)-1-c]
		pad := pads[s.tokens[i].text]
		switch {
		case c < len(digits):
			shown[i] = digits[len(digits)-1-c : len(digits)-c]
		default:
			shown[i] = pad
		}
		if grouped && c > 0 && c%3 == 0 {
			switch {
			case c < len(digits) || pad == "0":
				shown[i] += ","
			case pad == " ":
				shown[i] += " "
			}
		}
	}
	if len(places) == 0 || len(digits) <= len(places) {
		return
	}
	var more strings.Builder
	for c := len(digits) - 1; c >= len(places); c-- {
		more.WriteByte(digits[len(digits)-1-c])
		if grouped && c%3 == 0 {
			more.WriteByte(',')
		}
	}
	shown[places[0]] = more.String() + shown[places[0]]
}

// fillDecimals displays decimals. Zeros at the end are displayed up to the last place with 0; after it, ? is a space.
func (s section) fillDecimals(shown []string, places []int, decimals string) {
	end := len(strings.TrimRight(decimals, "0"))
	for c, i := range places {
		if s.tokens[i].text == "0" {
			end = max(end, c+1)
		}
	}
	for c, i := range places {
		switch {
		case c < end:
			shown[i] = decimals[c : c+1]
		case s.tokens[i].text == "?":
			shown[i] = " "
		}
	}
}

// showExponent displays a number in scientific notation. The exponent is a multiple of the digits before the point.
func (s section) showExponent(n float64) string {
	at := s.find(power)
	mantissa := section{tokens: s.tokens[:at], kind: number}
	size := 0
	pointAt := mantissa.find(point)
	decimals := 0
	for i, t := range mantissa.tokens {
		switch {
		case t.kind != digit:
		case pointAt >= 0 && i > pointAt:
			decimals++
		default:
			size++
		}
	}
	d := decimalOf(n)
	d.point += 2*s.percents - 3*s.scale
	size = max(size, 1)
	power10 := 0
	if d.digits != "" {
		power10 = floorTo(d.point-1, size)
		if whole, _ := (decimal{d.digits, d.point - power10}).round(decimals); len(whole) > size {
			power10 += size
		}
	}
	d.point -= power10
	value, err := strconv.ParseFloat("0."+d.digits+"e"+strconv.Itoa(d.point), 64)
	if err != nil {
		return General(n)
	}
	var places []int
	for i, t := range s.tokens {
		if i > at && t.kind == digit {
			places = append(places, i)
		}
	}
	shown := s.literals(n)
	sign := ""
	if power10 < 0 {
		sign = "-"
	} else if strings.HasSuffix(s.tokens[at].text, "+") {
		sign = "+"
	}
	shown[at] = s.tokens[at].text[:1] + sign
	s.fill(shown, places, strings.TrimPrefix(fmt.Sprint(max(power10, -power10)), "0"), false)
	return mantissa.showNumber(value) + strings.Join(shown[at:], "")
}

// floorTo returns the largest multiple of a size that is at most n.
func floorTo(n, size int) int {
	m := n % size
	if m < 0 {
		m += size
	}
	return n - m
}
