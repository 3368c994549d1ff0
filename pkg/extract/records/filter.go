package records

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

// Limits of a filter.
const (
	MaxFilter      = 2_000 // bytes
	maxFilterDepth = 50
)

// A Filter selects records by their values:
//
//	logP < 3 and ("Melting Point" >= 120 or not CAS) and name ~ 'acid'
//
// The comparisons are <, <=, >, >= with a number or an ISO 8601 date, = and != with any value, and ~ and !~, which
// search the value for a text, ignoring case. A name alone selects the records that have a value. Comparisons are
// combined by and, or, not (&&, ||, !) and parentheses. Names and values that contain spaces or special characters are
// quoted with " or '. A quoted value is text, not a number, for = and !=.
//
// A name refers to a field, otherwise to a property, otherwise to name (the record's title) or error (why it failed);
// if none matches exactly, case is ignored. A record without a value matches no comparison, not even !~ and !=.
type Filter struct {
	text    string
	root    condition
	columns []columnKey
}

// String returns the text of the filter.
func (f *Filter) String() string { return f.text }

// A FilterError describes an error in a filter.
type FilterError struct {
	At      int // byte offset in the filter
	Problem string
}

func (e *FilterError) Error() string {
	return fmt.Sprintf("at character %d: %s", e.At+1, e.Problem)
}

// A condition evaluates the values of the filter's columns; a missing value is "".
type condition interface{ match(row []string) bool }

type (
	allOf   []condition
	anyOf   []condition
	negated struct{ of condition }
	present struct{ column int }
	numeric struct {
		column int
		value  float64
		exact  decimal.Number // decides between values that round to the same float64
		mark   string         // the decimal mark of the column
		ok     func(order int) bool
	}
	dated struct {
		column int
		value  time.Time
		ok     func(order int) bool
	}
	equal struct {
		column int
		value  string
		same   bool
	}
	contains struct {
		column int
		value  string // in lower case
		has    bool
	}
)

func (f *Filter) match(r *Record) bool {
	row := make([]string, len(f.columns))
	for i, key := range f.columns {
		row[i] = r.value(key)
	}
	return f.root.match(row)
}

func (c allOf) match(row []string) bool {
	for _, one := range c {
		if !one.match(row) {
			return false
		}
	}
	return true
}

func (c anyOf) match(row []string) bool {
	for _, one := range c {
		if one.match(row) {
			return true
		}
	}
	return false
}

func (c negated) match(row []string) bool { return !c.of.match(row) }
func (c present) match(row []string) bool { return row[c.column] != "" }

func (c numeric) match(row []string) bool {
	text := plain(row[c.column], c.mark)
	n, _, ok := parseAnyNumber(text)
	if !ok {
		return false
	}
	switch {
	case n < c.value:
		return c.ok(-1)
	case n > c.value:
		return c.ok(1)
	default:
		exact, _ := decimal.Parse(certain(text))
		return c.ok(exact.Compare(c.exact))
	}
}

func (c dated) match(row []string) bool {
	t, ok := parseDate(row[c.column])
	return ok && c.ok(t.Compare(c.value))
}

func (c equal) match(row []string) bool {
	cell := row[c.column]
	same := cell == c.value || isBoolean(cell) && strings.EqualFold(strings.TrimSpace(cell), c.value)
	return cell != "" && same == c.same
}

func (c contains) match(row []string) bool {
	return row[c.column] != "" && strings.Contains(strings.ToLower(row[c.column]), c.value) == c.has
}

// compare returns the condition of one comparison, or the problem with it.
func compare(column int, operator string, value token, mark string) (condition, string) {
	order := map[string]func(int) bool{
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 },
		"=": func(o int) bool { return o == 0 }, "!=": func(o int) bool { return o != 0 },
	}[operator]
	equality := operator == "=" || operator == "!="
	text := plain(value.text, mark)
	number, _, isNumber := parseAnyNumber(text)
	exact, _ := decimal.Parse(certain(text))
	date, isDate := parseDate(value.text)
	switch {
	case order == nil:
		return contains{column, strings.ToLower(value.text), operator == "~"}, ""
	case isNumber && !(equality && value.kind == quoted):
		if operator == "!=" { // text differs from every number
			return allOf{present{column}, negated{numeric{column, number, exact, mark, func(o int) bool { return o == 0 }}}}, ""
		}
		return numeric{column, number, exact, mark, order}, ""
	case isDate && !equality:
		return dated{column, date, order}, ""
	case equality:
		return equal{column, value.text, operator == "="}, ""
	default:
		return nil, fmt.Sprintf("%s needs a number or a date like 2024-05-31, not %q; compare text with =, != or ~", operator, value.text)
	}
}
