package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// plain formats a number with three significant digits, in ASCII.
func plain(v float64) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case size < 1e-4 || size >= 999_500:
		return strconv.FormatFloat(v, 'e', 2, 64)
	case size >= 999.5:
		scale := math.Pow(10, math.Floor(math.Log10(size))-2)
		return grouped(int(math.Round(v/scale) * scale))
	}
	text := strconv.FormatFloat(v, 'e', 2, 64) // rounded, so that 9.999 is 10.0
	exponent, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil {
		return text
	}
	return strconv.FormatFloat(v, 'f', 2-exponent, 64)
}

// rich formats a number with three significant digits, a minus sign and a power of ten.
func rich(v float64) string {
	return typeset(plain(v))
}

// typeset replaces hyphens and exponents of a number by a minus sign and a power of ten.
func typeset(number string) string {
	mantissa, exponent, found := strings.Cut(strings.ReplaceAll(number, "-", "−"), "e")
	if !found {
		return mantissa
	}
	exponent = strings.TrimPrefix(exponent, "+")
	sign := ""
	if rest, negative := strings.CutPrefix(exponent, "−"); negative {
		sign, exponent = "⁻", rest
	}
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return mantissa + " × 10" + sign + strings.Map(func(r rune) rune { return digits[r-'0'] }, strings.TrimLeft(exponent, "0"))
}

// exact formats a parameter, a bound or a tick without trailing zeros, with at most six significant digits.
func exact(v float64) string {
	if v == 0 {
		return "0" // also -0
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// grouped formats a number of things with separators of thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// percent formats a share from 0 to 1, such as 65 %. Small and large shares have a decimal place.
func percent(share float64) string {
	share = min(max(share, 0), 1)
	if share > 0 && share < 0.0005 {
		return "< 0.1 %"
	}
	places := 0
	if share > 0 && share < 0.1 || share > 0.9 && share < 1 {
		places = 1
	}
	return strconv.FormatFloat(100*share, 'f', places, 64) + " %"
}

// short makes a name from a file fit for display: it is valid UTF-8 without control and format characters, such as those
// that change the direction of text, and has at most 60 characters.
func short(name string) string { return shortenTo(clean(name), 60) }

func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u200c' || r == '\u200d': // joiners, which some scripts need
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Bidi_Control, unicode.Noncharacter_Code_Point):
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
