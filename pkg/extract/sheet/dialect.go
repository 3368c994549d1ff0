package sheet

import (
	"bufio"
	"bytes"
	"strings"
)

// delimiters contains the delimiters, the most usual one first.
const delimiters = ",\t;|"

// dialect is the way in which the cells of a table are separated and quoted.
type dialect struct {
	delimiter byte
	quote     byte // " or '
	escapes   bool // a backslash before a quote makes it a part of a quoted cell
}

// sample contains the first rows of a table.
type sample struct {
	dialect
	rows  []sampleRow
	known float64 // share of the cells that have a usual form
}

// sampleRow is a row that is not empty.
type sampleRow struct {
	cells  []string
	start  int    // its offset in a text
	end    int    // the offset of the next row
	apart  bool   // empty rows precede it
	quoted bool   // its first cell is quoted
	failed string // why it cannot be read
}

// width is the number of cells up to the last one that is not empty.
func (r sampleRow) width() int {
	n := len(r.cells)
	for n > 0 && r.cells[n-1] == "" {
		n--
	}
	return n
}

// read reads the first rows of a text that begins with head. cut means that the text is longer: then it leaves out a row
// that the end of head may cut.
func (d dialect) read(head []byte, cut bool) sample {
	s := sample{dialect: d}
	t := &Text{dialect: d, r: bufio.NewReader(bytes.NewReader(head))}
	known, all, apart := 0, 0, false
	for len(s.rows) < sniffed {
		row := sampleRow{start: t.offset, apart: apart}
		cells, failed, err := t.read()
		if err != nil || cut && (failed != "" || t.offset == len(head)) {
			break
		}
		if apart = failed == "" && empty(cells); apart {
			continue
		}
		row.cells, row.end, row.failed = make([]string, len(cells)), t.offset, failed
		for i, cell := range cells {
			value, quoted := d.value(cell)
			row.cells[i] = strings.TrimSpace(value)
			row.quoted = row.quoted || i == 0 && quoted
			if quoted || isKnown(row.cells[i]) {
				known++
			}
		}
		all += max(1, len(cells))
		s.rows = append(s.rows, row)
	}
	if all > 0 {
		s.known = float64(known) / float64(all)
	}
	trimEnds(s.rows)
	return s
}

// trimEnds removes the empty cells after a delimiter that ends all rows.
func trimEnds(rows []sampleRow) {
	for width, _ := usualWidth(rows); width > 1; width-- {
		for _, row := range rows {
			if len(row.cells) >= width && row.cells[width-1] != "" {
				return
			}
		}
		for i, row := range rows {
			rows[i].cells = row.cells[:min(len(row.cells), width-1)]
		}
	}
}

// score says how well the dialect fits: the rows of the table have the same number of cells, and the cells have usual
// forms. The measure is the data consistency of van den Burg, Nazábal and Sutton, "Wrangling messy CSV files by detecting
// row and type patterns", Data Mining and Knowledge Discovery 33 (2019), with the number of cells as the pattern of a row.
func (s sample) score() float64 {
	counts, failed := map[int]int{}, 0
	for _, row := range s.rows[tableStart(s.rows):] {
		if row.failed != "" {
			failed++
			continue
		}
		counts[len(row.cells)]++
	}
	pattern := 0.0
	for cells, n := range counts {
		pattern += float64(n) * max(float64(cells-1), 0.001) / float64(cells)
	}
	return pattern / float64(max(1, len(counts)+failed)) * max(s.known, 0.001)
}

// near is the part of the best score from which another delimiter is nearly as good.
const near = 0.9

// detect returns the dialect of a text that begins with head, and its first rows. rival is another delimiter that fits
// about equally, or 0. The delimiter is that of the options, if it is not 0.
func detect(head []byte, cut bool, delimiter byte) (best sample, rival byte) {
	quotes := []byte{'"'}
	if apostrophes(head) {
		quotes = []byte{'\''}
	}
	scores := map[byte]float64{}
	for _, candidate := range []byte(delimiters) {
		if delimiter != 0 && delimiter != candidate {
			continue
		}
		for _, quote := range quotes {
			for _, escapes := range []bool{false, true} {
				if escapes && !bytes.Contains(head, []byte{'\\', quote}) {
					continue
				}
				s := dialect{candidate, quote, escapes}.read(head, cut)
				if score := s.score(); score > scores[candidate] {
					scores[candidate] = score
					if best.delimiter == 0 || score > scores[best.delimiter] || best.delimiter == candidate {
						best = s
					}
				}
			}
		}
	}
	for candidate, score := range scores {
		if candidate != best.delimiter && score >= near*scores[best.delimiter] && score > 0.01*float64(len(best.rows)) && (rival == 0 || score > scores[rival]) {
			rival = candidate
		}
	}
	if best.delimiter == 0 {
		best = dialect{',', '"', false}.read(head, cut)
	}
	return best, rival
}

// apostrophes reports whether cells are quoted with apostrophes.
func apostrophes(head []byte) bool {
	opened, closed := 0, 0
	border := func(c byte) bool { return strings.IndexByte(delimiters+"\r\n", c) >= 0 }
	last := byte('\n') // without blanks
	for i, c := range head {
		switch {
		case c == '"' && border(last):
			return false
		case c != '\'':
		case border(last):
			opened++
		case i+1 == len(head) || border(head[i+1]):
			closed++
		}
		if c != ' ' {
			last = c
		}
	}
	return opened > 1 && closed*10 >= opened*9 && opened*10 >= closed*9
}
