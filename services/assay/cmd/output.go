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

	"github.com/assay-project/assay/services/assay/client"
)

// writeJSON writes v as one line.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// writeLine writes a file as one line.
func writeLine(w io.Writer, f client.File) error {
	_, err := fmt.Fprintf(w, "%s  %-11s  %s%s\n", f.FileID, f.Status, shown(f.FileName), outcome(f))
	return err
}

// writeHeader writes the column headers of a list, aligned with its lines.
func (s *settings) writeHeader(w io.Writer, format string, names ...any) error {
	if s.json {
		return nil
	}
	_, err := fmt.Fprintf(w, format+"\n", names...)
	return err
}

// outcome summarizes the result of a file. It returns "" until there is one.
func outcome(f client.File) string {
	switch {
	case f.Result != nil:
		return fmt.Sprintf("  (%d words, %d distinct)", f.Result.TotalWords, f.Result.UniqueWords)
	case f.ErrorMessage != "":
		return "  (" + shown(f.ErrorMessage) + ")"
	}
	return ""
}

// writeFile writes all fields of a file as readable text.
func writeFile(w io.Writer, f client.File) error {
	var out strings.Builder
	fmt.Fprintf(&out, "file\t%s\n", shown(f.FileName))
	fmt.Fprintf(&out, "id\t%s\n", f.FileID)
	fmt.Fprintf(&out, "owner\t%s\n", shown(f.OwnerID))
	fmt.Fprintf(&out, "status\t%s\n", f.Status)
	fmt.Fprintf(&out, "created\t%s\n", f.CreatedAt.Local().Format(time.DateTime))
	fmt.Fprintf(&out, "updated\t%s\n", f.UpdatedAt.Local().Format(time.DateTime))
	if f.ErrorMessage != "" {
		fmt.Fprintf(&out, "error\t%s\n", shown(f.ErrorMessage))
	}
	if r := f.Result; r != nil {
		fmt.Fprintf(&out, "words\t%d\n", r.TotalWords)
		fmt.Fprintf(&out, "distinct\t%d\n", r.UniqueWords)
		fmt.Fprintf(&out, "length\t%.2f on average\n", r.AvgWordLength)
		for i, word := range r.Top10Words {
			fmt.Fprintf(&out, "%s\t%s  %d\n", map[bool]string{true: "top words"}[i == 0], shown(word.Word), word.Count)
		}
	}
	return writeTable(w, out.String())
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

// writeTable writes tab-separated cells in aligned columns.
func writeTable(w io.Writer, lines string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(table, lines)
	return errors.Join(err, table.Flush())
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
