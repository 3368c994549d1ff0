package records

import (
	"strings"
	"unicode/utf8"
)

// The marks that separate groups of three digits, beside the comma or the point that is not the decimal mark: a space, a
// no-break space, a narrow no-break space, an apostrophe.
var groupMarks = []string{" ", "\u00a0", "\u202f", "'", "’"}

// plain returns a number as parseAnyNumber reads it: without marks between groups of three digits, and with a decimal point.
// decimal is the decimal mark with which the number is written, a comma or a point. If it is empty, or s is not such a
// number, plain returns s without surrounding spaces.
func plain(s, decimal string) string {
	s = strings.TrimSpace(s)
	if decimal == "" || s == "" || s[0] > '9' {
		return s
	}
	whole, rest, marked := strings.Cut(s, decimal)
	other := ","
	if decimal == "," {
		other = "."
	}
	whole = ungroup(whole, other)
	switch {
	case strings.ContainsAny(rest, ",. '"), whole == "":
		return s
	case !marked:
		return whole
	case rest == "" || rest[0] < '0' || rest[0] > '9':
		return s
	}
	return whole + "." + rest
}

// ungroup returns digits without the marks between groups of three. The marks are all the same: other or one of groupMarks.
// It returns "" if the groups are of other lengths.
func ungroup(digits, other string) string {
	sign := 0
	if digits != "" && (digits[0] == '+' || digits[0] == '-') {
		sign = 1
	}
	first := countDigits(digits[sign:])
	rest := digits[sign+first:]
	mark := markAt(rest, other)
	if mark == "" {
		return digits
	}
	if first == 0 || first > 3 {
		return ""
	}
	plain := append(make([]byte, 0, len(digits)), digits[:sign+first]...)
	for rest != "" {
		group, found := strings.CutPrefix(rest, mark)
		if !found || countDigits(group) != 3 {
			return ""
		}
		plain, rest = append(plain, group[:3]...), group[3:]
	}
	return string(plain)
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// markAt returns the mark between groups with which s begins, or "".
func markAt(s, other string) string {
	if s == "" || strings.HasPrefix(s, other) {
		return s[:min(len(s), len(other))]
	}
	for _, mark := range groupMarks {
		if strings.HasPrefix(s, mark) {
			return mark
		}
	}
	return ""
}

// hasMark reports whether a text that is not a plain number may be one with a decimal comma or with groups of digits.
func hasMark(s string) bool {
	if len(s) > 64 || s[0] > '9' || s[0] < '+' {
		return false
	}
	return strings.ContainsAny(s, ", '") || strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

// numbers are statistics of numbers that are written in the same way.
type numbers struct {
	Count int     `json:"count"`
	Min   float64 `json:"min,omitempty"`
	Max   float64 `json:"max,omitempty"`
	Least string  `json:"least,omitempty"` // the minimum with all digits, if Min has fewer
	Most  string  `json:"most,omitempty"`
}

// add adds numbers from low to high.
func (n *numbers) add(count int, low, high bound) {
	if n.Count == 0 || low.compare(bound{n.Min, n.Least}) < 0 {
		n.Min, n.Least = low.value, low.text
	}
	if n.Count == 0 || high.compare(bound{n.Max, n.Most}) > 0 {
		n.Max, n.Most = high.value, high.text
	}
	n.Count += count
}

func (n *numbers) merge(more *numbers) {
	if more != nil && more.Count > 0 {
		n.add(more.Count, bound{more.Min, more.Least}, bound{more.Max, more.Most})
	}
}

// marks are statistics of the numbers of a column whose notation only the other values of the column decide.
type marks struct {
	Grouped int     `json:"grouped"`           // plain numbers whose point may be between groups of digits
	Both    int     `json:"both"`              // numbers with a decimal comma and points between groups of digits
	Either  int     `json:"either"`            // numbers in both readings, as in 1,234
	Whole   numbers `json:"whole"`             // the other plain numbers
	Comma   numbers `json:"comma"`             // other numbers, if the decimal mark is a comma
	Point   numbers `json:"point"`             // other numbers, if commas are between groups of digits
	Example string  `json:"example,omitempty"` // one of the others
}

// add counts a value that is not a plain number.
func (m *marks) add(value string) {
	isComma, isPoint := m.Comma.read(value, ","), m.Point.read(value, ".")
	switch {
	case isComma && isPoint:
		m.Either++
	case isComma && strings.Contains(value, "."):
		m.Both++
	}
	if m.Example == "" && (isComma || isPoint) {
		m.Example = value
	}
}

// read adds a number with that decimal mark, and reports whether the value is one that differs from a plain number.
func (n *numbers) read(value, decimal string) bool {
	text := plain(value, decimal)
	v, _, ok := parseNumber(text)
	if !ok || text == value {
		return false
	}
	b := boundOf(v, text)
	n.add(1, b, b)
	return true
}

// merge adds the statistics of further values.
func (m *marks) merge(more *marks) {
	m.Grouped += more.Grouped
	m.Both += more.Both
	m.Either += more.Either
	m.Whole.merge(&more.Whole)
	m.Comma.merge(&more.Comma)
	m.Point.merge(&more.Point)
	if m.Example == "" {
		m.Example = more.Example
	}
}

// decimal returns the decimal mark of a column of which points plain numbers have a point, or "" if its numbers are plain. In
// a table whose cells commas separate, a comma in a cell is not evidence of a decimal comma.
func (m *marks) decimal(points int, separated bool) string {
	if m == nil {
		return ""
	}
	switch onlyComma, onlyPoint := m.Comma.Count-m.Either-m.Grouped, m.Point.Count-m.Either; {
	case onlyPoint > 0 && onlyComma == 0:
		return "."
	case !separated && onlyPoint == 0 && onlyComma+m.Either > 0 && (points == 0 || points == m.Grouped && m.Both > 0):
		return ","
	}
	return ""
}
