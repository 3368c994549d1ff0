package pdf_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/pixels/peak"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var (
	streamedPages = flag.Int("pdf.pages", 20, "pages of the document of TestTextIsWrittenPageByPage")
	streamedLine  = flag.Int("pdf.line", 1000, "characters of each of the 50 lines of its pages")
)

// pages returns pages of 50 lines of distinct words.
func pages(count, line int) []string {
	random := rand.New(rand.NewPCG(3, 4))
	all := make([]string, count)
	for i := range all {
		var b strings.Builder
		for range 50 {
			for n := 0; n < line; {
				written, _ := fmt.Fprintf(&b, "w%x ", random.Uint64()>>random.IntN(60)) // a Builder returns no error
				n += written
			}
			b.WriteByte('\n')
		}
		all[i] = b.String()
	}
	return all
}

// pageByPage compares the text that is written to it with the words of pages.
type pageByPage struct {
	t     *testing.T
	pages []string
	page  int
}

func (p *pageByPage) Write(part []byte) (int, error) {
	text, ended := bytes.CutSuffix(part, []byte("\f"))
	if got := strings.Join(strings.Fields(string(text)), " "); !ended || got != strings.Join(strings.Fields(p.pages[p.page]), " ") {
		p.t.Errorf("page %d: got %.100q and so on with %d bytes, want %.100q with %d", p.page+1, got, len(part), p.pages[p.page], len(p.pages[p.page]))
	}
	p.page++
	return len(part), nil
}

// TestTextIsWrittenPageByPage checks that a writer receives each page when it was read, with its words on it and a form feed, and that no more
// than a few pages are in memory.
func TestTextIsWrittenPageByPage(t *testing.T) {
	to := &pageByPage{t: t, pages: pages(*streamedPages, *streamedLine)}
	data := wasmtest.PDF{Pages: to.pages}.Bytes()
	var text pdf.Text
	var err error
	began := time.Now()
	used := peak.Of(func() {
		text, err = engine.Text(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Limits{Time: 10 * time.Minute}, pdf.TextLimits{
			Bytes: 100 << 20, To: to, See: func(n int, p pdf.Page) {
				if runs := len(p.Runs); n != to.page || runs == 0 {
					t.Errorf("got %d runs of page %d after %d pages", runs, n+1, to.page)
				}
			},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KB of text of %d pages: %d MB of memory, %v", text.Length>>10, text.Pages, used>>20, time.Since(began).Round(time.Millisecond))
	if text.Text != "" || text.Cut != "" || text.Pages != len(to.pages) || to.page != len(to.pages) || text.Unreadable > 0 {
		t.Errorf("got %+v and %d pages written, want all %d pages written", text, to.page, len(to.pages))
	}
}

// TestPagesAreReadInSeveralInstances checks that all pages are read of a document that exceeds the memory because PDFium keeps parts of the pages
// before.
func TestPagesAreReadInSeveralInstances(t *testing.T) {
	to := &pageByPage{t: t, pages: pages(6, 4000)}
	data := wasmtest.PDF{Pages: to.pages}.Bytes()
	limits := pdf.Limits{Memory: 24 << 20}
	d, err := engine.Open(t.Context(), bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.Text(pdf.TextLimits{}); !errors.Is(err, wasm.ErrMemory) || text.Pages == 0 {
		t.Fatalf("one instance: got %d pages and error %v, want some and %v", text.Pages, err, wasm.ErrMemory)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	text, err := engine.Text(t.Context(), bytes.NewReader(data), int64(len(data)), limits, pdf.TextLimits{To: to})
	if err != nil || text.Unreadable > 0 || text.Pages != len(to.pages) || to.page != len(to.pages) || text.Cut != "" {
		t.Errorf("got %+v, %d pages written and error %v, want %d readable pages", text, to.page, err, len(to.pages))
	}
}

// TestWriterEndsText checks that Text returns the error of the writer.
func TestWriterEndsText(t *testing.T) {
	from, to := io.Pipe()
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	data := wasmtest.PDF{Pages: []string{"one", "two"}}.Bytes()
	text, err := engine.Text(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Limits{}, pdf.TextLimits{To: to})
	if !errors.Is(err, io.ErrClosedPipe) || text.Pages != 0 {
		t.Errorf("got %d pages and error %v, want none and %v", text.Pages, err, io.ErrClosedPipe)
	}
}
