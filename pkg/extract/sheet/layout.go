package sheet

import (
	"strconv"
	"strings"
)

// uniform is the share of the rows, in percent, that must have the same number of cells for the lines before them not to
// belong to the table.
const uniform = 90

// usualWidth returns the number of cells, at least two, that most rows have, and how many have it.
func usualWidth(rows []sampleRow) (width, count int) {
	counts := map[int]int{}
	for _, row := range rows {
		n := len(row.cells)
		if counts[n]++; n > 1 && (counts[n] > count || counts[n] == count && n > width) {
			width, count = n, counts[n]
		}
	}
	return width, count
}

// tableStart returns the index of the first row that belongs to the table. The rows before it are
//
//   - comments, which begin with # or //,
//   - rows with fewer cells than at least three uniform rows after them,
//   - blocks of one or two columns that an empty row separates from a row of texts above numbers.
func tableStart(rows []sampleRow) int {
	start := 0
	for start < len(rows) && isComment(rows[start]) {
		start++
	}
	if start == len(rows) {
		return 0
	}
	if width, _ := usualWidth(rows[start:]); start > 0 && width > 1 && len(rows[start-1].cells) == width && namesOf(rows[start-1].cells) && !namesOf(rows[start].cells) {
		return start - 1 // a header that begins with #
	}
	rest := rows[start:]
	if i := uniformFrom(rest); i > 0 {
		if i == 1 && isShifted(rest[0], rest[1:]) {
			return start
		}
		return start + i
	}
	for i := 1; i < len(rest) && rest[i-1].width() <= 2; i++ {
		padded := rest[i].width() > 2 && rest[i-1].width() < len(rest[i-1].cells)
		if (rest[i].apart || padded) && rest[i].width() > 1 && namesOf(rest[i].cells[:rest[i].width()]) && aboveNumbers(rest[i], rest[i+1:]) && !isTable(rest[:i]) {
			return start + i
		}
	}
	return start
}

// isComment reports whether a row is a comment. A cell that is just # is the name of a column.
func isComment(row sampleRow) bool {
	if len(row.cells) == 0 || row.quoted {
		return false
	}
	first := row.cells[0]
	return strings.HasPrefix(first, "//") || strings.HasPrefix(first, "#") && (first != "#" || len(row.cells) == 1)
}

// uniformFrom returns the index of the first row from which on the rows have the same number of cells, if all rows before
// it have fewer cells. Otherwise it returns 0.
func uniformFrom(rows []sampleRow) int {
	width, _ := usualWidth(rows)
	first := 0
	for first < len(rows) && rows[first].width() < width {
		first++
	}
	for first > 0 && first < len(rows) && len(rows[first-1].cells) == width && !rows[first].apart {
		first-- // a row whose last cells are empty
	}
	if width < 2 || first == len(rows) {
		return 0
	}
	_, count := usualWidth(rows[first:])
	if count < 3 || count*100 < uniform*(len(rows)-first) || len(rows[first].cells) != width {
		return 0
	}
	return first
}

// isShifted reports whether a header has one name fewer than the rows have cells, as R writes tables with row names.
func isShifted(first sampleRow, below []sampleRow) bool {
	width, _ := usualWidth(below)
	return len(first.cells) == width-1 && width > 2 && namesOf(first.cells) && !namesOf(below[0].cells) && !below[0].apart
}

// namesOf reports whether no cell is a value or too long for a name, and at least one is a text.
func namesOf(cells []string) bool {
	texts := 0
	for _, cell := range cells {
		if isValue(cell) || len(cell) > maxName {
			return false
		}
		if cell != "" {
			texts++
		}
	}
	return texts > 0
}

// isTable reports whether rows are a table of their own: texts above numbers in their first column.
func isTable(rows []sampleRow) bool {
	return namesOf(rows[0].cells) && allNumbers(0, rows[1:])
}

// aboveNumbers reports whether a text of a row is above a column of numbers.
func aboveNumbers(first sampleRow, below []sampleRow) bool {
	for i, cell := range first.cells {
		if !isMissing(cell) && !isValue(cell) && allNumbers(i, below) {
			return true
		}
	}
	return false
}

// allNumbers reports whether the rows have only numbers, and at least one, in a column.
func allNumbers(column int, rows []sampleRow) bool {
	found := false
	for _, row := range rows {
		if column >= len(row.cells) || isMissing(row.cells[column]) {
			continue
		}
		if !isNumber(row.cells[column]) {
			return false
		}
		found = true
	}
	return found
}

// rising reports whether a row is a text and two or more whole numbers in ascending order that are no values of the rows
// below, such as years, wells or wavelengths; or a text and dates above numbers.
func rising(first sampleRow, below []sampleRow) bool {
	if isMissing(first.cells[0]) || isValue(first.cells[0]) {
		return false
	}
	numbers, dates, fractions, last := []float64{}, 0, true, 0.0
	low, high := 0.0, 0.0
	found := false
	for i, cell := range first.cells {
		switch {
		case isDate(cell):
			if dates++; !allNumbers(i, below) {
				return false
			}
			continue
		case !isNumber(cell):
			if !isMissing(cell) && len(numbers) > 0 {
				return false
			}
			continue
		}
		n, err := strconv.ParseInt(cell, 10, 64)
		if v := float64(n); err != nil || len(numbers) > 0 && v <= last || !allNumbers(i, below) {
			return false
		}
		last = float64(n)
		numbers = append(numbers, last)
		for _, row := range below {
			if i >= len(row.cells) || isMissing(row.cells[i]) {
				continue
			}
			v, err := strconv.ParseFloat(strings.Replace(row.cells[i], ",", ".", 1), 64)
			if err != nil {
				return false
			}
			if !found || v < low {
				low = v
			}
			if !found || v > high {
				high = v
			}
			found, fractions = true, fractions && v != float64(int64(v))
		}
	}
	if dates > 0 {
		return len(numbers) == 0
	}
	if len(numbers) < 2 || !found {
		return false
	}
	return fractions || numbers[0] > high || last < low
}
