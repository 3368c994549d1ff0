package library

import (
	"io"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/terms"
)

// TestPageReader checks that a page is read whatever the size of the writes, and that a long page is kept around the first match.
func TestPageReader(t *testing.T) {
	parsed, err := terms.Parse("needle")
	if err != nil {
		t.Fatal(err)
	}
	const text = "Fruit\napple\f\fLast\npear\f"
	for page, want := range map[int]string{1: "Fruit\napple", 2: "", 3: "Last\npear", 4: ""} {
		for size := 1; size < 9; size++ {
			p := newPageReader(page, nil)
			if _, err := io.CopyBuffer(p, struct{ io.Reader }{strings.NewReader(text)}, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			sheet, _, _ := strings.Cut(want, "\n")
			if at := p.place("sheet"); p.String() != want || p.Count() != 3 || at.Page != page || at.Sheet != sheet || p.cut {
				t.Errorf("page %d: got %q of %d pages at %+v, want %q of 3 pages", page, p.String(), p.Count(), at, want)
			}
		}
	}
	line := strings.Repeat("ordinary words ", 60) + "\n"
	long := strings.Repeat(line, 2*pageWindow/len(line))
	for _, text := range []string{long + "the needle " + long, "the needle " + long + long, long + "the needle"} {
		p := newPageReader(1, parsed.Terms)
		if _, err := io.CopyBuffer(p, struct{ io.Reader }{strings.NewReader(text)}, make([]byte, 32<<10)); err != nil {
			t.Fatal(err)
		}
		parts, cut := unplaced(p.String(), parsed.Terms)
		if !p.cut || len(parts) < 2 || !parts[1].Match || len(parts[0].Text) > maxPageText || len(p.text) > pageWindow+32<<10 {
			t.Errorf("got %d parts of %d bytes, cut %v %v, want the needle near the beginning", len(parts), len(p.text), p.cut, cut)
		}
	}
	if p := newPageReader(1, nil); p.Count() != 1 || p.place("").Page != 0 {
		t.Errorf("an empty text has %d pages, want 1 without a number", p.Count())
	}
}
