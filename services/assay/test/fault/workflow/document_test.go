package workflow

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// wordDocument returns a DOCX document with the given text.
func wordDocument(t *testing.T, text string) string {
	t.Helper()
	return zipOf(t, [][2]string{
		{"[Content_Types].xml", `<Types/>`},
		{"_rels/.rels", `<Relationships><Relationship Type="x/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document><w:body><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:body></w:document>`},
	})
}

// zipOf returns a ZIP archive of parts, each given by its name and content.
func zipOf(t *testing.T, parts [][2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range parts {
		f, err := w.Create(part[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, part[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDocuments: the text of a document is extracted and its first page is drawn; a locked or damaged
// document fails with the reason.
func TestDocuments(t *testing.T) {
	w := start(t)
	w.worker(nil)
	pdf := wasmtest.PDF{Title: "On Foxes", Pages: []string{"The quick brown fox", "jumps"}, Fields: map[string]string{"city": "Reykjavik"}}
	locked := wasmtest.PDF{Pages: []string{"secret"}, Encrypted: true, Password: "x"}
	for name, c := range map[string]struct {
		body                 string
		kind                 extract.Type
		status, text, reason string
	}{
		"foxes.pdf":   {string(pdf.Bytes()), "Pdf", "Processed", "The quick brown fox\nReykjavik\fjumps\f", ""},
		"locked.pdf":  {string(locked.Bytes()), "Pdf", "Failed", "", "text: the document is password-protected"},
		"broken.pdf":  {string(pdf.Bytes()[:300]), "Pdf", "Failed", "", "text: the document is not a PDF, or is damaged"},
		"letter.docx": {wordDocument(t, "Dear fox"), "Office", "Processed", "Dear fox", ""},
		"note.txt":    {"Gr\xf6\xdfe", "Text", "Processed", "Größe", ""},
		"page.html":   {"<!DOCTYPE html><title>Foxes</title><p>One <b>fox</b><script>no()</script>", "WebPage", "Processed", "One fox", ""},
	} {
		f := w.ended(w.add(name, "", c.body).ID)
		flow, err := w.Workflow(t.Context(), f.ID)
		if err != nil || f.Type != c.kind || string(f.Status) != c.status || f.ErrorMessage != c.reason {
			t.Errorf("%s: got %+v, steps %+v, %v, want a %s file that is %s with the error message %q", name, f, flow.StepResults, err, c.kind, c.status, c.reason)
			continue
		}
		if c.text == "" {
			continue
		}
		if got := w.text(flow.StepResults[extract.StepText].Key); got != c.text {
			t.Errorf("%s: text = %q, want %q", name, got, c.text)
		}
		if name == "foxes.pdf" {
			if f.Metadata["title"] != "On Foxes" || f.Metadata["pages"] != 2.0 || len(f.Images) != 3 {
				t.Errorf("%s: metadata = %+v, images = %+v, want the title, 2 pages and 3 images", name, f.Metadata, f.Images)
			}
			for _, made := range f.Images {
				w.clean(made)
			}
		}
	}
}

// text returns the decompressed content of an object with the text of a file.
func (w *world) text(key string) string {
	w.t.Helper()
	body, err := w.backends.Bucket.Open(w.t.Context(), key, "")
	if err != nil {
		w.t.Fatal(err)
	}
	defer body.Close()
	r, err := gzip.NewReader(body)
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
