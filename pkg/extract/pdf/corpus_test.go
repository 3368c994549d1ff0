package pdf_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/recall"
)

const (
	mostWords    = 20_000 // of a document that is compared
	comparePages = 40
)

// TestPublicDocuments compares the texts of the documents in the folder ASSAY_PDFS and its subfolders with those of
// pdftotext: the share of its words that are found, and the share of those that are in its order.
func TestPublicDocuments(t *testing.T) {
	dir := os.Getenv("ASSAY_PDFS")
	if dir == "" {
		t.Skip("ASSAY_PDFS names no folder of PDF documents")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	var shares, ordered []float64
	for _, name := range files {
		want := reference(t, name)
		if len(want) < recall.MinWords || len(want) > mostWords {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := engine.Text(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Limits{Time: time.Minute}, pdf.TextLimits{Pages: comparePages})
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		got := recall.Words(text.Text)
		shares = append(shares, recall.Of(want, got))
		if found := recall.Found(want, got); found > 0 {
			ordered = append(ordered, float64(longestCommon(want, got))/float64(found))
		}
	}
	slices.Sort(shares)
	slices.Sort(ordered)
	t.Logf("%d documents: recall %.3f, in order %.3f on average, %.3f in the median, %.3f in the worst tenth", len(shares), mean(shares),
		mean(ordered), ordered[len(ordered)/2], ordered[len(ordered)/10])
	if mean(shares) < 0.92 || ordered[len(ordered)/2] < 0.95 {
		t.Error("want a mean recall of 0.92, and 0.95 of the words in order in the median")
	}
}

// reference returns the words that pdftotext finds, or nil if it cannot read the document.
func reference(t *testing.T, name string) []string {
	return recall.Words(converted(t, name, "40"))
}

// converted returns what pdftotext finds up to a page, or "" if it cannot read the document.
func converted(t *testing.T, name, last string) string {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "pdftotext", "-enc", "UTF-8", "-l", last, name, "-").Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// longestCommon returns the length of the longest common subsequence.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			up := row[j+1]
			if row[j+1] = max(up, row[j]); x == y {
				row[j+1] = diagonal + 1
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}

// TestPagesOfPublicDocuments compares the pages on which words are in the documents in the folder ASSAY_PDFS and its subfolders with
// those of pdftotext, for words that are once in the document, and checks that the texts of the runs are the text.
func TestPagesOfPublicDocuments(t *testing.T) {
	dir := os.Getenv("ASSAY_PDFS")
	if dir == "" {
		t.Skip("ASSAY_PDFS names no folder of PDF documents")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	documents, words, same, placed := 0, 0, 0, 0
	for _, name := range files {
		out := converted(t, name, "200")
		if out == "" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		runs := map[int]string{} // by page
		text, err := engine.Text(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Limits{Time: time.Minute}, pdf.TextLimits{Pages: 200, See: func(n int, p pdf.Page) {
			for _, r := range p.Runs {
				runs[n] += r.Text
				if r.Box != (pdf.Box{}) {
					placed += len(r.Text)
				}
			}
		}})
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		for n, page := range strings.Split(text.Text, "\f") {
			if all, placed := runs[n]; placed && all != page {
				t.Errorf("%s: the texts of the runs of page %d, %d bytes, are not its text, %d bytes", name, n+1, len(all), len(page))
			}
		}
		documents++
		want, got := pagesOf(out), pagesOf(text.Text)
		for word, page := range want {
			if at, found := got[word]; found && page > 0 && at > 0 {
				words++
				if at == page {
					same++
				} else {
					t.Logf("%s: %s is on page %d, not %d", name, word, at, page)
				}
			}
		}
	}
	t.Logf("%d documents: %d of %d words that are once in a document are on the same page; %d bytes have boxes", documents, same, words, placed)
	if float64(same) < 0.999*float64(words) {
		t.Error("want 99.9 % of the words on the same page")
	}
}

// pagesOf returns the pages of words, from 1, or 0 if a word is more than once in a text.
func pagesOf(text string) map[string]int {
	pages := map[string]int{}
	for i, page := range strings.Split(text, "\f") {
		for _, word := range recall.Words(page) {
			if pages[word]++; pages[word] == 1 {
				pages[word] = i + 1
			} else {
				pages[word] = -1 << 30
			}
		}
	}
	for word, page := range pages {
		pages[word] = max(page, 0)
	}
	return pages
}
