package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// show returns the content that shows a text of 10 points at a position.
func show(x, y int, text string) string {
	return fmt.Sprintf("BT /F1 10 Tf %d %d Td (%s) Tj ET ", x, y, text)
}

// TestReadingOrder checks the order of lines that the content of a page has in another order. The order of columns and
// lines is that of pdftotext 22.12.
func TestReadingOrder(t *testing.T) {
	var columns, table, heading strings.Builder
	for i := range 4 {
		y := 700 - 14*i
		columns.WriteString(show(50, y, fmt.Sprintf("left line %d", i)) + show(320, y, fmt.Sprintf("right line %d", i)))
		table.WriteString(show(50, y, strings.Repeat("item ", 1+2*i)) + show(320, y, fmt.Sprint(i)))
	}
	heading.WriteString(show(50, 720, "A heading across both of the columns and over all of their width") + columns.String())
	const left, right = "left line 0 left line 1 left line 2 left line 3", "right line 0 right line 1 right line 2 right line 3"
	for name, c := range map[string]struct{ content, want string }{
		"columns written row by row": {columns.String(), left + " " + right},
		"heading above columns":      {heading.String(), "A heading across both of the columns and over all of their width " + left + " " + right},
		"lines out of order":         {show(72, 600, "third") + show(72, 700, "first") + show(72, 650, "second"), "first second third"},
		"table with a column of numbers": {table.String(), "item 0 item item item 1 item item item item item 2 " +
			"item item item item item item item 3"},
		"two labels and values": {show(50, 700, "Name") + show(320, 700, "Jane") + show(50, 680, "Town") + show(320, 680, "Bern"), "Name Jane Town Bern"},
	} {
		got, err := read(t, wasmtest.PDF{Pages: []string{""}, Contents: c.content}.Bytes())
		if got := strings.Join(strings.Fields(got), " "); err != nil || got != c.want {
			t.Errorf("%s: got %q, error %v, want %q", name, got, err, c.want)
		}
	}
}
