package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
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
	text strings.Builder // cells are separated by tabs
	last string          // name of the last field
}

// row adds a line of cells.
func (t *columns) row(cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			t.text.WriteByte('\t')
		}
		t.text.WriteString(shown(fmt.Sprint(cell)))
	}
	t.text.WriteByte('\n')
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

func (t *columns) write(w io.Writer) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(aligned, t.text.String())
	return errors.Join(err, aligned.Flush())
}

// dateTime formats a time in the time zone of the user. It returns "" for the zero time.
func dateTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(time.DateTime)
}

// sizeOf formats a number of bytes with a unit, such as 1.5 KiB.
func sizeOf(bytes int64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%d B", bytes)
	}
	size, units := float64(bytes)/1024, "KMGT"
	for size >= 1024 && len(units) > 1 {
		size, units = size/1024, units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", size, units[0])
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

// note prints a message to standard error. It ignores errors: if standard error is closed, they
// cannot be reported.
func note(w io.Writer, format string, values ...any) { _, _ = fmt.Fprintf(w, format+"\n", values...) }
