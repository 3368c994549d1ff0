// Package numberformat displays the numbers of spreadsheets by their format codes, as the function TEXT of Excel does.
//
// The codes are those of ECMA-376, part 1, section 18.8.31. Colors, fill characters and the names of locales have no effect;
// names of months and days are English.
package numberformat

import (
	"math"
	"strconv"
	"strings"
)

// Format is a parsed format code. The zero value is that of cells without a format.
type Format struct {
	sections []section
	text     *section // of texts
}

// section is the part of a code for some of the numbers.
type section struct {
	tokens    []token
	kind      kind
	condition *condition
	percents  int  // percent signs
	scale     int  // commas that divide by 1000
	grouped   bool // thousands
	seconds   int  // decimals of seconds, of a date
}

type kind int

const (
	literal kind = iota // has no place for a number
	general
	number
	fraction
	exponent
	date
	elapsed // a duration
	text
)

type tokenKind int

const (
	quoted   tokenKind = iota // literal text
	digit                     // 0, # or ?
	point                     // the first decimal point
	slash                     // of a fraction
	power                     // E+ or E-
	part                      // of a date: y, m, d, h or s, repeated
	total                     // of a duration: h, m or s, repeated
	noon                      // AM/PM or A/P
	tenths                    // decimals of seconds, with the point
	standard                  // General
	content                   // @
	comma
	percent
)

type token struct {
	kind tokenKind
	text string
}

// condition is that of [<=100].
type condition struct {
	operator string
	operand  float64
}

func (c condition) holds(n float64) bool {
	switch c.operator {
	case "<":
		return n < c.operand
	case "<=":
		return n <= c.operand
	case ">":
		return n > c.operand
	case ">=":
		return n >= c.operand
	case "=":
		return n == c.operand
	}
	return n != c.operand
}

// Parse parses a format code. It has no errors: what is not a part of a format is displayed.
func Parse(code string) Format {
	var f Format
	if code == "" || strings.EqualFold(code, "general") {
		return f
	}
	for _, part := range split(code) {
		s := classify(part)
		if s.kind == text && f.text == nil {
			f.text = &s
		} else {
			f.sections = append(f.sections, s)
		}
	}
	if len(f.sections) > 3 { // the fourth section is that of texts, with or without a place for them
		f.text = &f.sections[3]
		f.sections = f.sections[:3]
	}
	return f
}

// Text displays a text.
func (f Format) Text(s string) string {
	if f.text == nil {
		return s
	}
	var b strings.Builder
	for _, t := range f.text.tokens {
		if t.kind == content {
			b.WriteString(s)
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// Number displays a number. Dates are days since the end of 1899 or, with date1904, since the start of 1904.
func (f Format) Number(n float64, date1904 bool) string {
	if math.IsNaN(n) || math.IsInf(n, 0) { // no number of a spreadsheet
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	s, absolute := f.choose(n)
	if s == nil {
		if f.text != nil && len(f.sections) == 0 {
			return f.Text(General(n))
		}
		return General(n)
	}
	sign := ""
	if n < 0 {
		if n = -n; !absolute {
			sign = "-"
		}
	}
	var shown string
	switch s.kind {
	case date, elapsed:
		if s.kind == date && sign != "" {
			return General(-n)
		}
		shown = s.showDate(n, date1904)
	case fraction:
		shown = s.showFraction(n)
	case exponent:
		shown = s.showExponent(n)
	default:
		shown = s.showNumber(n)
	}
	if sign != "" && !strings.ContainsAny(shown, "123456789") && (s.kind == number || s.kind == exponent) {
		sign = "" // rounded to zero
	}
	return sign + shown
}

// choose returns the section for a number, nil for General. absolute means that the section displays the sign itself.
func (f Format) choose(n float64) (s *section, absolute bool) {
	conditional := false
	for i := range f.sections {
		c := f.sections[i].condition
		if conditional = conditional || c != nil; c != nil && c.holds(n) {
			return &f.sections[i], i > 0 && n < 0
		}
	}
	switch {
	case len(f.sections) == 0:
		return nil, false
	case conditional:
		for i := range f.sections {
			if f.sections[i].condition == nil && (i > 0 || n >= 0 || len(f.sections) == 1) {
				return &f.sections[i], false
			}
		}
		return nil, false
	case n < 0 && len(f.sections) > 1:
		return &f.sections[1], true
	case n == 0 && len(f.sections) > 2:
		return &f.sections[2], false
	}
	return &f.sections[0], false
}

// split returns the tokens of each section.
func split(code string) [][]token {
	sections := [][]token{nil}
	add := func(k tokenKind, text string) {
		last := len(sections) - 1
		sections[last] = append(sections[last], token{k, text})
	}
	for i := 0; i < len(code); {
		rest := code[i:]
		size := 1
		switch c := code[i]; {
		case c == ';':
			sections = append(sections, nil)
		case c == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				end = len(rest) - 1
			}
			add(quoted, rest[1:min(1+end, len(rest))])
			size = min(end+2, len(rest))
		case c == '\\' && len(rest) > 1:
			size = 1 + width(rest[1:])
			add(quoted, rest[1:size])
		case c == '_' && len(rest) > 1: // as wide as the next character
			add(quoted, " ")
			size = 1 + width(rest[1:])
		case c == '*' && len(rest) > 1: // fills the cell
			size = 1 + width(rest[1:])
		case c == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return sections
			}
			size = end + 1
			if k, shown := bracket(rest[1:end]); k != quoted || shown != "" {
				add(k, shown)
			}
		case prefix(rest, "general"):
			add(standard, "")
			size = len("general")
		case prefix(rest, "am/pm"):
			add(noon, rest[:5])
			size = 5
		case prefix(rest, "a/p"):
			add(noon, rest[:3])
			size = 3
		case strings.IndexByte("ymdhsYMDHS", c) >= 0:
			for size < len(rest) && rest[size]|0x20 == c|0x20 {
				size++
			}
			add(part, strings.ToLower(rest[:size]))
		case (c == 'E' || c == 'e') && len(rest) > 1 && (rest[1] == '+' || rest[1] == '-'):
			add(power, rest[:2])
			size = 2
		default:
			size = width(rest)
			add(simple(rest[:size]), rest[:size])
		}
		i += size
	}
	return sections
}

func prefix(text, name string) bool {
	return len(text) >= len(name) && strings.EqualFold(text[:len(name)], name)
}

func width(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}

var simples = map[string]tokenKind{"0": digit, "#": digit, "?": digit, ".": point, ",": comma, "%": percent, "/": slash, "@": content}

func simple(character string) tokenKind { return simples[character] }

// conditionMark begins the text of a literal token that stands for a condition, until classify removes it.
const conditionMark = "\x00"

// bracket returns the token of an expression in brackets: the sum of hours, minutes or seconds, a currency symbol, or a
// condition. Others have no effect.
func bracket(inside string) (tokenKind, string) {
	lower := strings.ToLower(inside)
	switch {
	case lower != "" && (strings.Trim(lower, "h") == "" || strings.Trim(lower, "m") == "" || strings.Trim(lower, "s") == ""):
		return total, lower
	case strings.HasPrefix(inside, "$"):
		symbol, _, _ := strings.Cut(inside[1:], "-")
		return quoted, symbol
	case strings.IndexAny(inside, "<>=") == 0:
		return quoted, conditionMark + inside
	}
	return quoted, ""
}

func parseCondition(text string) *condition {
	operand := strings.TrimLeft(text, "<>=")
	n, err := strconv.ParseFloat(strings.TrimSpace(operand), 64)
	if err != nil {
		return nil
	}
	return &condition{text[:len(text)-len(operand)], n}
}
