package sheet

import "fmt"

// remark says what was guessed or skipped, and how an option changes it; workbooks have no options.
type remark struct{ guess, option string }

// top is what the first rows say about a table.
type top struct {
	start, body int // the indexes of its first row, and of its first row of values
	header      header
	units       map[string]string
	remarks     []remark
}

// opening finds the header of a table in its first rows. If skip is set, what comes before it is the preamble, and the units
// below it are no row.
func opening(rows []sampleRow, options Options, skip bool) top {
	o := top{}
	if skip {
		o.start = tableStart(rows)
	}
	o.body = o.start
	switch {
	case o.start == 1:
		o.guess("The first line precedes the table and is kept as its preamble", "")
	case o.start > 1:
		o.guess(fmt.Sprintf("The first %d lines that are not empty precede the table and are kept as its preamble", o.start), "")
	}
	first, below := rows[o.start], rows[o.start+1:]
	given := options.Header == "yes"
	if options.Header == "" {
		given = o.headed(first, below)
	}
	cells, columns, units := first.cells, 0, []string(nil)
	if given {
		o.body++
		if options.Header == "" && uniformFrom(rows[o.start:]) == 1 {
			cells = append([]string{""}, cells...)
			o.guess("The header has one name fewer than the rows have cells, so its names are those of the second and further columns", "header=no makes it a row")
		}
		if skip && options.Header == "" && len(below) > 1 && isUnits(cells, below) {
			units = below[0].cells
			o.body++
			o.guess("The row below the header contains the units of the columns", "header=no makes both rows")
		}
	}
	if width, count := usualWidth(below); !given || count*100 >= uniform*len(below) {
		columns = width
	}
	if !given {
		for _, row := range below {
			columns = max(columns, row.width())
		}
	}
	o.header = newHeader(cells, columns, given)
	for i, unit := range units {
		if unit == "" {
			continue
		}
		if o.units == nil {
			o.units = map[string]string{}
		}
		o.units[o.header.names[i]] = unit
	}
	return o
}

func (o *top) guess(text, option string) { o.remarks = append(o.remarks, remark{text, option}) }

// texts returns the remarks, with their options if the table has some.
func (o *top) texts(options bool) []string {
	var all []string
	for _, r := range o.remarks {
		if options && r.option != "" {
			all = append(all, r.guess+"; "+r.option+".")
		} else {
			all = append(all, r.guess+".")
		}
	}
	return all
}

// headed reports whether the first row contains the column names. A row of texts does. A row with a number or a date does
// if one of its texts is above a column of numbers, or if its numbers rise like years or wells.
func (o *top) headed(first sampleRow, below []sampleRow) bool {
	if namesOf(first.cells) {
		return true
	}
	numbers, texts := 0, 0
	for _, cell := range first.cells {
		switch {
		case len(cell) > maxName:
			return false
		case isNumber(cell):
			numbers++
		case !isMissing(cell) && !isDate(cell):
			texts++
		}
	}
	header := texts > 0 && (aboveNumbers(first, below) || rising(first, below))
	switch {
	case header:
		o.guess("The first row contains numbers and was used as the header", "header=no makes it a row")
	case texts > 0 && numbers > 0:
		o.guess("The first row contains numbers and was used as a row", "header=yes makes it the header")
	}
	return header
}

// isUnits reports whether the first row below a header contains units only, each above numbers.
func isUnits(header []string, below []sampleRow) bool {
	units := 0
	for i, cell := range below[0].cells {
		if cell == "" {
			continue
		}
		if i >= len(header) || !isUnit(cell) || !allNumbers(i, below[1:]) {
			return false
		}
		units++
	}
	return units > 0
}
