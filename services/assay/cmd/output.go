package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// writeJSON writes v as one line.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// write writes v as one line of JSON, or else as text.
func (s *settings) write(w io.Writer, v any, format string, values ...any) error {
	if s.json {
		return writeJSON(w, v)
	}
	_, err := fmt.Fprintf(w, format, values...)
	return err
}

// columns collects lines of cells, to write them in aligned columns.
type columns struct {
	rows  [][]any // each cell is a string or painted
	heads style   // of the first line
	last  string  // name of the last field
}

// row adds a line of cells.
func (t *columns) row(cells ...any) {
	row := make([]any, len(cells))
	for i, cell := range cells {
		if _, colored := cell.(painted); !colored {
			cell = shown(fmt.Sprint(cell))
		}
		row[i] = cell
	}
	t.rows = append(t.rows, row)
}

// field adds a line with a name and a value, unless the value is empty. Consecutive fields with the same name are a
// list, which has its name only in the first line.
func (t *columns) field(name, value string) {
	switch {
	case value == "":
	case name == t.last:
		t.row("", value)
	default:
		t.row(name, value)
		t.last = name
	}
}

// write writes the lines. A column is as wide as its widest cell in successive lines that have further cells.
func (t *columns) write(w io.Writer) error {
	var text strings.Builder
	var widths []int
	for i, row := range t.rows {
		var line strings.Builder
		for j, cell := range row {
			if j == len(row)-1 {
				fmt.Fprint(&line, cell)
				break
			}
			if j == len(widths) { // the column begins in this line
				widths = append(widths, widthOf(t.rows[i:], j))
			}
			fmt.Fprintf(&line, "%-*s  ", widths[j], cell)
		}
		widths = widths[:max(0, len(row)-1)]
		if i == 0 && line.Len() > 0 {
			text.WriteString(t.heads.of(line.String()))
		} else {
			text.WriteString(line.String())
		}
		text.WriteByte('\n')
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// widthOf returns the width of a column that begins in the first of the rows.
func widthOf(rows [][]any, column int) (width int) {
	for _, row := range rows {
		if len(row) <= column+1 {
			break
		}
		text, ok := row[column].(string)
		if p, colored := row[column].(painted); !ok && colored {
			text = p.text
		}
		width = max(width, utf8.RuneCountInString(text))
	}
	return width
}

// dateTime formats a time in the time zone of the user. It returns "" for the zero time.
func dateTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(time.DateTime)
}

// sizeOf formats a number of bytes with a decimal unit, such as 1.5 kB, as the web app does.
func sizeOf(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	size, units := float64(bytes)/1000, "kMGT"
	for size >= 999.95 && len(units) > 1 { // it would be printed as 1000.0
		size, units = size/1000, units[1:]
	}
	return fmt.Sprintf("%.1f %cB", size, units[0])
}

// count formats a number of things, such as 1 file or 2 files.
func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// shown returns external text in a form that is safe for a terminal: quoted if it contains control
// characters or characters that change the text direction, otherwise unchanged.
func shown(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
		return strconv.Quote(text)
	}
	return text
}

// isTerminal reports whether a command writes to a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// errBinary is the error for content that would disturb a terminal.
var errBinary = errors.New("the content is not text; write it to a file with -o FILE, or to a pipe")

// note prints a message to standard error. It ignores errors: if standard error is closed, they
// cannot be reported.
func note(w io.Writer, format string, values ...any) { _, _ = fmt.Fprintf(w, format+"\n", values...) }
