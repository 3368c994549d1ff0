package workflow

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// sample is a file to process.
type sample struct{ name, body string }

// samples returns a file of each type, by type. All of them become Processed.
func samples(t *testing.T) map[extract.Type]sample {
	t.Helper()
	pdf := wasmtest.PDF{Title: "Foxes", Pages: []string{"The quick brown fox"}}
	all := map[extract.Type]sample{
		extract.Generic: {"a.bin", "\x00\x01\x02"}, extract.Image: {"a.gif", animation(t)}, extract.PDF: {"a.pdf", string(pdf.Bytes())},
		extract.Office: {"a.docx", wordDocument(t, "Dear fox")}, extract.WebPage: {"a.html", "<!DOCTYPE html><title>Foxes</title><p>One fox"},
		extract.Text: {"a.txt", "one fox"}, extract.Table: {"rows.csv", "name;mass\nwater;18\n"}, extract.Microscopy: {"a.nd2", "\x00\x01\x02"},
	}
	for _, f := range extract.Formats() {
		if len(f.Records) > 0 {
			all[f.Type] = sample{"a." + f.Records[0].Name, f.Records[0].Example}
		}
	}
	return all
}
