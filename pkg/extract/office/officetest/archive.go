// Package officetest creates office documents for tests.
package officetest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// Part is the name and the content of a file in a document, or of a stream.
type Part [2]string

// Archive returns a zip archive of the parts.
func Archive(parts ...Part) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := w.Create(p[0])
		if err == nil {
			_, err = f.Write([]byte(p[1]))
		}
		if err != nil {
			panic(err) // writes to a buffer do not fail
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Links returns the relationships part of a part. The arguments are pairs of kind and target; the ids are r0, r1, and
// so on.
func Links(part string, kindsAndTargets ...string) Part {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(kindsAndTargets); i += 2 {
		fmt.Fprintf(&b, `<Relationship Id="r%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`,
			i/2, kindsAndTargets[i], kindsAndTargets[i+1])
	}
	b.WriteString(`</Relationships>`)
	dir, file := "", part
	if i := strings.LastIndexByte(part, '/'); i >= 0 {
		dir, file = part[:i+1], part[i+1:]
	}
	return Part{dir + "_rels/" + file + ".rels", b.String()}
}

// Word returns a Word document with the given body. It links further parts if they have the names that
// Word uses.
func Word(body string, more ...Part) []byte {
	return Archive(append([]Part{
		Links("", "officeDocument", "word/document.xml", "core-properties", "docProps/core.xml", "extended-properties", "docProps/app.xml", "thumbnail", "docProps/t.jpeg"),
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`},
		Links("word/document.xml", "header", "header1.xml", "footer", "/word/footer1.xml", "footnotes", "footnotes.xml", "comments", "comments.xml",
			"numbering", "numbering.xml", "styles", "styles.xml", "chart", "charts/chart1.xml", "diagramData", "diagrams/data1.xml"),
	}, more...)...)
}

// Paragraph returns a Word paragraph with the given properties.
func Paragraph(properties, text string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// OpenDocument returns an OpenDocument file of a kind: text, spreadsheet or presentation.
func OpenDocument(kind, body string, more ...Part) []byte {
	return Archive(append([]Part{
		{"mimetype", "application/vnd.oasis.opendocument." + kind},
		{"META-INF/manifest.xml", `<manifest:manifest/>`},
		{"content.xml", `<office:document-content>` + body + `</office:document-content>`},
	}, more...)...)
}

// Workbook returns an Excel workbook with one sheet, given as the XML of its rows, and the shared strings.
func Workbook(rows string, shared ...string) []byte {
	return Archive(
		Links("", "officeDocument", "xl/workbook.xml"),
		Part{"xl/workbook.xml", `<workbook><sheets><sheet name="Prices" r:id="r0"/></sheets></workbook>`},
		Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "sharedStrings", "sharedStrings.xml", "styles", "styles.xml"),
		Part{"xl/sharedStrings.xml", `<sst><si><t>` + strings.Join(shared, `</t></si><si><t>`) + `</t></si></sst>`},
		Part{"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="10"/></cellXfs></styleSheet>`},
		Part{"xl/worksheets/sheet1.xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`},
	)
}

// Presentation returns a PowerPoint presentation with one slide and its notes.
func Presentation(slide, notes string) []byte {
	shape := func(text string) string {
		return `<p:sp><p:txBody><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	return Archive(
		Links("", "officeDocument", "ppt/presentation.xml"),
		Part{"ppt/presentation.xml", `<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>`},
		Links("ppt/presentation.xml", "slide", "slides/slide1.xml"),
		Part{"ppt/slides/slide1.xml", `<p:sld>` + shape(slide) + `</p:sld>`},
		Links("ppt/slides/slide1.xml", "notesSlide", "../notesSlides/n.xml"),
		Part{"ppt/notesSlides/n.xml", `<p:notes>` + shape(notes) + `</p:notes>`},
	)
}
