package mcp

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/services/query/search"
)

// TestPager: a page is the same however its text is written.
func TestPager(t *testing.T) {
	long := strings.Repeat("x", 3*maxText)
	for _, test := range []struct {
		text         string
		page, offset int
		part         string
		length       int
		pages        int
	}{
		{"", 1, 0, "", 0, 1},
		{"\f", 1, 0, "", 0, 1},
		{"one", 1, 0, "one", 3, 1},
		{"one\f", 1, 1, "ne", 3, 1},
		{"one\ftwo", 2, 3, "", 3, 2},
		{"one\ftwo", 2, 4, "", 3, 2},
		{"one\f\fthree\f", 3, 2, "ree", 5, 3},
		{"one\f\fthree\f", 2, 0, "", 0, 3},
		{"one\f\fthree\f", 4, 0, "", 0, 3},
		{"one\f" + long + "\fend", 2, maxText, long[:maxText+1], len(long), 3},
	} {
		for name, text := range map[string]io.Reader{"at once": strings.NewReader(test.text), "by bytes": iotest.OneByteReader(strings.NewReader(test.text))} {
			p := pager{offset: test.offset}
			pages := search.Pages{Page: test.page, Take: p.take}
			if _, err := io.Copy(&pages, text); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.part, []byte(test.part)) || p.length != test.length || pages.Count() != test.pages {
				t.Errorf("page %d of %.20q from %d, %s: %.20q of %d bytes and %d pages, want %.20q of %d bytes and %d pages",
					test.page, test.text, test.offset, name, p.part, p.length, pages.Count(), test.part, test.length, test.pages)
			}
		}
	}
}
