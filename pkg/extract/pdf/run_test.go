package pdf_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// placed returns the pages of a document with their runs. It checks that the texts of the runs are the text.
func placed(t *testing.T, p wasmtest.PDF) []pdf.Page {
	t.Helper()
	var pages []pdf.Page
	var runs strings.Builder
	text, err := mustOpen(t, p).Text(pdf.TextLimits{See: func(n int, page pdf.Page) {
		if n != len(pages) {
			t.Errorf("got page %d, want %d", n, len(pages))
		}
		pages = append(pages, page)
		for _, r := range page.Runs {
			runs.WriteString(r.Text)
		}
		runs.WriteByte('\f')
	}})
	if err != nil {
		t.Fatal(err)
	}
	if runs.String() != text.Text {
		t.Errorf("the runs are %q, want the text %q", runs.String(), text.Text)
	}
	return pages
}

// TestRuns checks where words are. In Helvetica, the width of "accepts" is 3.446 times the font size, and that of a space 0.278
// times (Adobe's metrics of the standard fonts).
func TestRuns(t *testing.T) {
	const width, baseline = 12 * 3.446, 720.0
	for _, test := range []struct {
		entries       string
		width, height float64
		where         func(x, y float64) (float64, float64) // on the page as displayed, from the left and the top
	}{
		{"", 612, 792, func(x, y float64) (float64, float64) { return x / 612, (792 - y) / 792 }},
		{"/Rotate 90", 792, 612, func(x, y float64) (float64, float64) { return y / 792, x / 612 }},
		{"/Rotate 180", 612, 792, func(x, y float64) (float64, float64) { return (612 - x) / 612, y / 792 }},
		{"/Rotate 270", 792, 612, func(x, y float64) (float64, float64) { return (792 - y) / 792, (612 - x) / 612 }},
		{"/CropBox [36 72 576 756]", 540, 684, func(x, y float64) (float64, float64) { return (x - 36) / 540, (756 - y) / 684 }},
		{"/CropBox [36 72 576 756] /Rotate 90", 684, 540, func(x, y float64) (float64, float64) { return (y - 72) / 684, (x - 36) / 540 }},
	} {
		page := placed(t, wasmtest.PDF{Pages: []string{"accepts accepts\nmore"}, Entries: test.entries})[0]
		words := slices.DeleteFunc(slices.Clone(page.Runs), func(r pdf.Run) bool { return strings.TrimSpace(r.Text) != "accepts" })
		if len(words) != 2 || len(page.Runs) != 3 {
			t.Fatalf("%s: got runs %+v, want three words", test.entries, page.Runs)
		}
		if math.Abs(page.Width-test.width) > 0.1 || math.Abs(page.Height-test.height) > 0.1 {
			t.Errorf("%s: got %v × %v points, want %v × %v", test.entries, page.Width, page.Height, test.width, test.height)
		}
		slices.SortFunc(words, func(a, b pdf.Run) int {
			ax, ay := test.where(0, 0) // where lines begin
			return cmp.Compare(math.Hypot(a.Box.Left-ax, a.Box.Top-ay), math.Hypot(b.Box.Left-ax, b.Box.Top-ay))
		})
		for i, left := range []float64{72, 72 + width + 12*0.278} {
			x, y := test.where(left+width/2, baseline+3)
			b := words[i].Box
			if inside := b.Left < x && x < b.Right && b.Top < y && y < b.Bottom; !inside {
				t.Errorf("%s: got word %d at %+v, want it around %.3f, %.3f", test.entries, i, b, x, y)
			}
			long := max((b.Right-b.Left)*test.width, (b.Bottom-b.Top)*test.height)
			if math.Abs(long-width) > 1 {
				t.Errorf("%s: word %d is %.1f points long, want %.1f", test.entries, i, long, width)
			}
		}
	}
}

// TestRunsOfColumns checks that the runs of pages whose text is arranged are in the order of the text, and that the parts of a word on two
// lines, notes and values of fields have runs.
func TestRunsOfColumns(t *testing.T) {
	var contents strings.Builder
	contents.WriteString("BT /F1 10 Tf\n")
	for line := range 12 {
		for column := range 2 {
			fmt.Fprintf(&contents, "1 0 0 1 %d %d Tm (column %d line %d with some more words) Tj\n", 72+260*column, 700-12*line, column, line)
		}
	}
	contents.WriteString("ET")
	page := placed(t, wasmtest.PDF{Pages: []string{""}, Contents: contents.String()})[0]
	if len(page.Runs) < 100 {
		t.Fatalf("got %d runs, want one for each word", len(page.Runs))
	}
	for i, r := range page.Runs {
		if right := i >= len(page.Runs)/2; (r.Box.Left > 0.5) != right || r.Box.Right <= r.Box.Left || r.Box.Bottom <= r.Box.Top {
			t.Errorf("got run %d %q at %+v, want the left column first", i, r.Text, r.Box)
		}
	}
	placed(t, wasmtest.PDF{Pages: []string{"form"}, Fields: map[string]string{"city": "Reykjavik"}, Annotation: "/Subtype /Text /Rect [10 10 20 20] /Contents (a note)"})
	placed(t, wasmtest.PDF{Pages: []string{"", "second", ""}})
}
