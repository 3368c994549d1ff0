package documents

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// expected is a document and its required outcome.
type expected struct {
	document
	status string
	text   string // exact text, or empty to accept any text
	reason string // substring of the reasons of the file and its steps
}

const (
	good   = client.LibraryProcessed
	failed = client.LibraryFailed
	fox    = "The quick brown fox"
)

// generated returns documents of every supported format and their required outcomes.
func generated() []expected {
	pdf := func(name string, p wasmtest.PDF, status, text, reason string) expected {
		return expected{document{name, p.Bytes}, status, text, reason}
	}
	made := func(name string, data []byte, status, text, reason string) expected {
		return expected{document{name, func() []byte { return data }}, status, text, reason}
	}
	p := officetest.Paragraph
	docx := officetest.Word(p("", fox) + `<w:tbl><w:tr><w:tc>` + p("", "a cell") + `</w:tc></w:tr></w:tbl>`)
	const rows = `<row><c t="s"><v>0</v></c><c s="1"><v>46348</v></c><c s="2"><v>0.125</v></c></row>`
	const page = `<html lang="en"><head><title>Tides</title></head><body><article><h1>Tides</h1><p>The moon raises the ocean twice a day.</p></article></body></html>`
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><circle cx="45" cy="45" r="40" fill="red"/><text x="4" y="40">fox</text></svg>`
	word := officetest.Part{"WordDocument", strings.Repeat("\x00", 12)}
	summary := officetest.Part{"\x05SummaryInformation", officetest.Summary("On Foxes")}
	return []expected{
		pdf("plain.pdf", wasmtest.PDF{Title: "On Foxes", Pages: []string{fox, "jumps"}}, good, fox+"\fjumps\f", ""),
		pdf("form.pdf", wasmtest.PDF{Pages: []string{fox}, Fields: map[string]string{"animal": "vixen"}}, good, "", ""),
		pdf("values.pdf", wasmtest.PDF{Pages: []string{fox}, Annotation: "/Subtype/Widget/FT/Tx/T(a)/V(vixen)/DA(/F1 12 Tf 0 g)/Rect[72 600 300 620]"}, good, fox+"\nvixen\f", ""),
		pdf("note.pdf", wasmtest.PDF{Pages: []string{fox}, Annotation: "/Subtype/Text/Contents(a note)/Rect[72 500 90 520]"}, good, fox+"\na note\f", ""),
		pdf("invisible.pdf", wasmtest.PDF{Pages: []string{""}, Contents: "BT /F1 12 Tf 3 Tr 72 720 Td (" + fox + ") Tj ET"}, good, fox+"\f", "the first page is blank"),
		pdf("encrypted.pdf", wasmtest.PDF{Pages: []string{fox}, Encrypted: true}, good, fox+"\f", ""),
		pdf("locked.pdf", wasmtest.PDF{Pages: []string{fox}, Encrypted: true, Password: "x"}, failed, "", "password-protected"),
		pdf("empty.pdf", wasmtest.PDF{}, failed, "", "no page"),
		made("truncated.pdf", wasmtest.PDF{Pages: []string{fox}}.Bytes()[:60], failed, "", "damaged"),
		made("plain.docx", docx, good, fox+"\na cell", "no preview picture"),
		made("truncated.docx", docx[:len(docx)/2], failed, "", "no directory"),
		made("locked.docx", officetest.Compound(officetest.Part{"EncryptionInfo", ""}, officetest.Part{"EncryptedPackage", "x"}), failed, "", "password-protected"),
		made("plain.xlsx", officetest.Workbook(rows, fox), good, "Prices\n"+fox+"\t2026-11-22\t12.50%", ""),
		made("plain.pptx", officetest.Presentation(fox, "say hello"), good, fox+"\nsay hello", ""),
		made("plain.odt", officetest.OpenDocument("text", `<office:text><text:p>`+fox+`</text:p></office:text>`), good, fox, ""),
		made("plain.ods", officetest.OpenDocument("spreadsheet", `<table:table table:name="Prices"><table:table-row><table:table-cell><text:p>`+fox+`</text:p></table:table-cell></table:table-row></table:table>`), good, "Prices\n"+fox, ""),
		made("plain.odp", officetest.OpenDocument("presentation", `<draw:page><draw:frame><draw:text-box><text:p>`+fox+`</text:p></draw:text-box></draw:frame></draw:page>`), good, fox, ""),
		made("locked.odt", officetest.Archive(officetest.Part{"mimetype", "application/vnd.oasis.opendocument.text"},
			officetest.Part{"META-INF/manifest.xml", `<m:manifest><m:encryption-data/></m:manifest>`}, officetest.Part{"content.xml", "x"}), failed, "", "password-protected"),
		made("plain.doc", officetest.Compound(summary, word), good, "", "ASSAY_CONVERTER"),
		made("plain.xls", officetest.Compound(officetest.Part{"Workbook", ""}), good, "", "ASSAY_CONVERTER"),
		made("plain.ppt", officetest.Compound(officetest.Part{"PowerPoint Document", ""}), good, "", "ASSAY_CONVERTER"),
		made("plain.rtf", []byte(`{\rtf1\ansi `+fox+`}`), good, "", "ASSAY_CONVERTER"),
		made("locked.doc", officetest.Compound(officetest.Part{"WordDocument", strings.Repeat("\x00", 11) + "\x01"}), failed, "", "password-protected"),
		made("truncated.xls", officetest.Compound(officetest.Part{"Workbook", ""})[:600], failed, "", "damaged"),
		made("page.html", []byte(page), good, "", "for imported pages only"),
		made("picture.svg", []byte(svg), good, "", ""),
		made("broken.svg", []byte(svg[:80]), failed, "", "damaged"),
		made("plain.txt", []byte(fox), good, fox, ""),
		made("table.csv", []byte("animal,legs\nfox,4\nemu,2\n"), good, "", ""),
		made("broken.csv", []byte("a,b\n1,2\n\"x,2\ny,3\n"), client.LibraryProcessedPartially, "", "quote"),
		made("unknown.bin", []byte("\x00\x01\x02\x03"), good, "", ""),
	}
}

// TestGeneratedDocuments: each document has the required outcome: its text, or the reason why it has none.
func TestGeneratedDocuments(t *testing.T) {
	s := system.StartServer(t, t.TempDir(), "ASSAY_RDKIT=false")
	want := append(generated(), limited()...)
	all := make([]document, len(want))
	for i, w := range want {
		all[i] = w.document
	}
	stop := otherWork(t, s.System)
	for i, o := range process(t, s.System, all) {
		w := want[i]
		explained(t, o)
		if o.node.Status != w.status || w.text != "" && o.text != w.text || !strings.Contains(o.reasons(), w.reason) {
			t.Errorf("%s is %s (%s), %q; want %s, %q, %q", o.name, o.node.Status, o.reasons(), o.text, w.status, w.text, w.reason)
		}
	}
	stop()
	boundedMemory(t, s)
}
