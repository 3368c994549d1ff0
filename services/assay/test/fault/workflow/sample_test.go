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
	return map[extract.Type]sample{
		"Generic": {"a.bin", "\x00\x01\x02"}, "Image": {"a.gif", animation(t)}, "Pdf": {"a.pdf", string(pdf.Bytes())},
		"Office": {"a.docx", wordDocument(t, "Dear fox")}, "WebPage": {"a.html", "<!DOCTYPE html><title>Foxes</title><p>One fox"},
		"Text": {"a.txt", "one fox"}, "Table": {"rows.csv", "name;mass\nwater;18\n"}, "Chemical": {"one.sdf", ethanol + logP},
		"Reaction": {"one.rxn", "$RXN\noxidation\n\n\n  1  0\n$MOL\n" + ethanol}, "Crystal": {"cell.cif", cell}, "Spectrum": {"curve.jdx", curve},
		"Microscopy": {"a.nd2", "\x00\x01\x02"},
	}
}
