package documents

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	longText = flag.Int("documents.text", 9<<20, "size of the texts of long documents, in bytes; of a page of HTML at most 18 MiB, of a PDF an eighth")
	longKind = flag.String("documents.kind", "", "extension of the long documents; empty for all")
)

// prose returns paragraphs of 65,536 words, of about size bytes. The last word is in them once.
func prose(seed uint64, size int) []string {
	random := rand.New(rand.NewPCG(seed, 5))
	var all []string
	for length := 0; length < size; {
		words := make([]string, 100)
		for i := range words {
			words[i] = fmt.Sprintf("w%x", random.Uint32N(1<<16))
			length += len(words[i]) + 1
		}
		all = append(all, strings.Join(words, " "))
	}
	return append(all, fmt.Sprintf("the last word: last%d", seed))
}

// TestLongDocuments checks that all of a long text is stored and served, and found with the page and, in a PDF, the place of its last word.
func TestLongDocuments(t *testing.T) {
	const (
		perPage = 40      // paragraphs
		placed  = 4 << 20 // size of a text of which the places of all words are stored
	)
	s := system.StartServer(t, t.TempDir())
	c := s.Client(t, system.NewOwner())
	for i, test := range []struct {
		name  string
		size  int // of the text
		pages bool
		write func(paragraphs []string) []byte
	}{
		{"long.docx", *longText, false, func(p []string) []byte {
			return officetest.Word(`<w:p><w:r><w:t>` + strings.Join(p, `</w:t></w:r></w:p><w:p><w:r><w:t>`) + `</w:t></w:r></w:p>`)
		}},
		{"long.odt", *longText, false, func(p []string) []byte {
			return officetest.OpenDocument("text", `<office:text><text:p>`+strings.Join(p, `</text:p><text:p>`)+`</text:p></office:text>`)
		}},
		{"long.html", min(*longText, 18<<20), false, func(p []string) []byte {
			return []byte(`<html><body><p>` + strings.Join(p, `</p><p>`) + `</p></body></html>`)
		}},
		{"long.pdf", *longText / 8, true, func(p []string) []byte {
			var pages []string
			for len(p) > 0 {
				n := min(perPage, len(p))
				pages = append(pages, strings.Join(p[:n], "\n"))
				p = p[n:]
			}
			return wasmtest.PDF{Pages: pages}.Bytes()
		}},
	} {
		if *longKind != "" && filepath.Ext(test.name) != "."+*longKind {
			continue
		}
		paragraphs := prose(uint64(i), test.size)
		words := strings.Fields(strings.Join(paragraphs, " "))
		began := time.Now()
		o, err := processOne(t.Context(), c, document{test.name, func() []byte { return test.write(paragraphs) }})
		if err != nil {
			t.Fatal(err)
		}
		processed := time.Since(began)
		metadata, err := c.NodeMetadata(t.Context(), o.node.ID, client.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Fields(o.text); o.node.Status != good || metadata["textCut"] != nil || strings.Join(got, " ") != strings.Join(words, " ") {
			t.Errorf("%s: %s, %q, cut %v, a text of %d words, want all of the %d words", test.name, o.node.Status, o.reasons(), metadata["textCut"], len(got), len(words))
			continue
		}
		last := words[len(words)-1]
		query := client.Search{Query: last, After: fmt.Sprintf("%s:%d", o.node.ID, o.node.Version)}
		found, err := c.SearchLibrary(t.Context(), query)
		for system.IsProblem(err, http.StatusServiceUnavailable) && t.Context().Err() == nil { // while the text is indexed
			found, err = c.SearchLibrary(t.Context(), query)
		}
		if err != nil || len(found.Hits) != 1 || found.Hits[0].TextCut != "" {
			t.Fatalf("%s: got %+v, %v for its last word, want one hit with all of its text", test.name, found.Hits, err)
		}
		t.Logf("%s: %d MB of text, processed after %v, indexed after %v", test.name, len(o.text)/1e6, processed.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		page := 1
		if test.pages {
			page = (len(paragraphs)-1)/perPage + 1
		}
		shown, err := c.NodePage(t.Context(), o.node.ID, page, last, client.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		matched := 0
		for _, part := range shown.Parts {
			if part.Match && part.Text == last && (part.Box != nil) == (test.pages && test.size <= placed) {
				matched++
			}
		}
		if matched != 1 || shown.Page != page || shown.Pages != page {
			t.Errorf("%s: page %d of %d has %d matches of the last word, want one on page %d", test.name, shown.Page, shown.Pages, matched, page)
		}
	}
	boundedMemory(t, s)
}
