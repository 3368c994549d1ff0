package numberformat

import (
	"math"
	"strconv"
	"strings"
)

// fractionParts are the indexes of the parts of a fraction: a whole number, which may be missing, the text between it and the
// numerator, the numerator, and the denominator.
type fractionParts struct {
	whole, numerator, denominator []int
	slash                         int
	fixed                         int // denominator, if it is written in the code
	fixedAt                       int
}

func (s section) fractionParts() fractionParts {
	p := fractionParts{slash: s.find(slash), fixedAt: -1}
	var before [][]int // groups of digits that follow each other
	for i, t := range s.tokens {
		switch {
		case i < p.slash && t.kind == digit:
			if i > 0 && s.tokens[i-1].kind == digit {
				last := len(before) - 1
				before[last] = append(before[last], i)
			} else {
				before = append(before, []int{i})
			}
		case i > p.slash && t.kind == digit && p.fixedAt < 0:
			p.denominator = append(p.denominator, i)
		case i > p.slash && t.kind == quoted && len(p.denominator) == 0 && t.text >= "0" && t.text <= "9:" && p.fixedAt < 0:
			p.fixedAt = i
		}
	}
	if p.fixedAt >= 0 {
		number := ""
		for _, t := range s.tokens[p.fixedAt:] {
			if t.kind != quoted && t.text != "0" || t.text < "0" || t.text > "9" {
				break
			}
			number += t.text
		}
		p.fixed, _ = strconv.Atoi(number) // digits only; too many count as none
	}
	p.numerator = before[len(before)-1]
	for _, group := range before[:len(before)-1] {
		p.whole = append(p.whole, group...)
	}
	return p
}

// showFraction displays a number as a fraction, with a whole number before it if the format has a place for one.
func (s section) showFraction(n float64) string {
	p := s.fractionParts()
	if len(p.whole) == 0 && n > 1e15 {
		return General(n) // the numerator has too many digits
	}
	shown := s.literals(n)
	whole := 0.0
	if len(p.whole) > 0 {
		whole = math.Floor(n)
	}
	most := max(1, int(math.Pow10(min(len(p.denominator), 7)))-1)
	numerator, denominator := nearest(n-whole, most, p.fixed)
	if len(p.whole) > 0 && numerator == denominator {
		whole, numerator = whole+1, 0
	}
	left := strings.TrimPrefix(strconv.FormatFloat(whole, 'f', 0, 64), "0")
	has := func(places []int, text string) bool {
		for _, i := range places {
			if s.tokens[i].text == text {
				return true
			}
		}
		return false
	}
	separator := func(replace func(string) string) { // the text between the whole number and the numerator
		if len(p.whole) > 0 {
			for i := p.whole[len(p.whole)-1] + 1; i < p.numerator[0]; i++ {
				shown[i] = replace(shown[i])
			}
		}
	}
	var end int // of the denominator
	if p.fixedAt < 0 {
		end = p.denominator[len(p.denominator)-1] + 1
		s.fillDenominator(shown, p.denominator, strconv.Itoa(denominator))
	} else {
		end = p.fixedAt + len(strconv.Itoa(p.fixed))
	}
	s.fill(shown, p.numerator, strconv.Itoa(numerator), false)
	spaces := has(p.whole, "?") || has(p.numerator, "?") || has(p.denominator, "?")
	switch {
	case len(p.whole) == 0:
	case numerator == 0 && !has(p.numerator, "0"): // no fraction
		if left == "" {
			left = "0"
		}
		for i := p.whole[len(p.whole)-1] + 1; i < end; i++ {
			if spaces {
				shown[i] = blank(shown[i])
			} else {
				shown[i] = ""
			}
		}
	case left == "" && numerator == 0 && has(p.whole, "?"):
		left = "0"
	case left == "" && !has(p.whole, "0"): // no whole number
		if has(p.whole, "?") || has(p.numerator, "?") {
			separator(blank)
		} else {
			separator(func(string) string { return "" })
		}
	}
	s.fill(shown, p.whole, left, false)
	return strings.Join(shown, "")
}

// fillDenominator displays a denominator: from the left, or after zeros.
func (s section) fillDenominator(shown []string, places []int, digits string) {
	if s.tokens[places[0]].text == "0" {
		s.fill(shown, places, digits, false)
		return
	}
	for c, i := range places {
		switch {
		case c < len(digits):
			shown[i] = digits[c : c+1]
		default:
			shown[i] = pads[s.tokens[i].text]
		}
	}
}

func blank(text string) string { return strings.Repeat(" ", len([]rune(text))) }

// nearest returns the fraction closest to x, which is not negative, with a fixed denominator or with one up to most.
func nearest(x float64, most, fixed int) (numerator, denominator int) {
	if fixed > 0 {
		return int(math.Round(x * float64(fixed))), fixed
	}
	// The convergents p/q of the continued fraction, and the last semiconvergent.
	p0, q0, p, q := 0.0, 1.0, 1.0, 0.0
	for rest := x; ; {
		a := math.Floor(rest)
		if next := a*q + q0; next > float64(most) {
			k := math.Floor((float64(most) - q0) / q)
			semi := []float64{k*p + p0, k*q + q0}
			if math.Abs(x-semi[0]/semi[1]) < math.Abs(x-p/q) {
				p, q = semi[0], semi[1]
			}
			break
		}
		p0, q0, p, q = p, q, a*p+p0, a*q+q0
		if rest-a < 1e-9 || math.Abs(x-p/q) < 1e-12 {
			break
		}
		rest = 1 / (rest - a)
	}
	return int(p), int(q)
}
