package records

import (
	"fmt"
	"slices"
	"strings"
)

// Table returns the columns: first properties, then fields, each in the order of their first occurrence. A property that
// is determined for no record has no column. The type of a column is other than Text only if all its values that are not
// missing have that type; the numeric share states how many of them are numbers.
func (s *Summary) Table() []Column {
	columns, _ := s.Describe("", "")
	return columns
}

// Describe is like Table for a table whose cells a delimiter separates, and whose numbers have a decimal mark; both are empty
// if unknown. It also returns remarks on what was guessed.
func (s *Summary) Describe(delimiter, decimal string) ([]Column, []string) {
	columns := make([]Column, 0, len(s.Columns))
	var g guesses
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Unknown > 0 && c.Count == 0 {
			continue
		}
		column := c.describe(delimiter == ",", decimal)
		column.NotDetermined = c.Unknown
		column.Empty = s.Records - c.Count
		columns = append(columns, column)
		if decimal == "" {
			g.add(c, column)
		}
		if column.Missing > 0 {
			g.missing = append(g.missing, c.Name)
		}
	}
	slices.SortStableFunc(columns, func(a, b Column) int {
		switch {
		case a.Property == b.Property:
			return 0
		case a.Property:
			return -1
		default:
			return 1
		}
	})
	return columns, g.remarks()
}

// describe returns the column. separated means that commas separate cells.
func (c *statistic) describe(separated bool, decimal string) Column {
	column := Column{Name: c.Name, Property: c.Property, Type: Text, Count: c.Count}
	values := c.Count - c.Missing
	if decimal == "" {
		decimal = c.Marks.decimal(c.Points, separated)
	}
	if c.Marks == nil {
		decimal = ""
	}
	all := c.all(decimal)
	if values > 0 {
		column.Numeric = float64(all.Count) / float64(values)
	}
	if decimal != "" && all.Count > 0 {
		column.Decimal = decimal
	}
	switch values {
	case 0:
	case c.Integers:
		column.Type = Integer
	case all.Count:
		column.Type = Number
	case c.Dates:
		column.Type, column.Min, column.Max = Date, c.First, c.Last
	case c.Booleans:
		column.Type = Boolean
	}
	if column.Type == Integer || column.Type == Number {
		column.Min, column.Max = bound{all.Min, all.Least}.exact(), bound{all.Max, all.Most}.exact()
	}
	if column.Type != Text {
		column.Missing = c.Missing
	}
	return column
}

// all returns the numbers of the column if they are written with that decimal mark.
func (c *statistic) all(decimal string) numbers {
	plain := numbers{c.Numbers, c.Min, c.Max, c.Least, c.Most}
	switch decimal {
	case ",":
		plain = c.Marks.Whole
		plain.merge(&c.Marks.Comma)
	case ".":
		plain.merge(&c.Marks.Point)
	}
	return plain
}

// guesses are the names of the columns whose values could be read otherwise.
type guesses struct {
	comma, unread, missing []string
	example                string // a value of the first unread column
}

func (g *guesses) add(c *statistic, column Column) {
	values := c.Count - c.Missing
	switch m := c.Marks; {
	case m == nil:
	case column.Decimal == ",":
		g.comma = append(g.comma, c.Name)
	case column.Type == Text && values > 0 && m.Example != "" && (c.all(",").Count == values || c.all(".").Count == values):
		if g.unread == nil {
			g.example = m.Example
		}
		g.unread = append(g.unread, c.Name)
	}
}

func (g *guesses) remarks() []string {
	var all []string
	if g.comma != nil {
		all = append(all, fmt.Sprintf("The decimal mark of the numbers in %s was taken to be a comma; decimal=. leaves such values as text.", list(g.comma)))
	}
	if g.unread != nil {
		all = append(all, fmt.Sprintf("Values such as %s in %s are text; with decimal=, their comma is the decimal mark, with decimal=. it separates groups of digits.", g.example, list(g.unread)))
	}
	if g.missing != nil {
		all = append(all, fmt.Sprintf("Values such as NA in %s count as missing; the text is unchanged.", list(g.missing)))
	}
	return all
}

// listed is the maximum number of columns that a remark names.
const listed = 5

// list returns names as in "a, b and c".
func list(names []string) string {
	if more := len(names) - listed; more > 0 {
		names = append(slices.Clone(names[:listed]), fmt.Sprintf("%d more columns", more))
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}
