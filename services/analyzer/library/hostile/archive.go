package hostile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// inflated is the factor by which the parts of archives are larger than the archives: just below the ratio that is
// rejected, for units that compress well.
const inflated = 50

// archives returns office documents since 2007, and OpenDocument files.
func archives(random *rand.Rand, size int) []File {
	large := size * inflated
	p := officetest.Paragraph
	body := func(open string) string { return `<office:text>` + open + `</office:text>` }
	lists := func(unit string) []byte {
		return officetest.OpenDocument("text", body("x"), officetest.Part{"styles.xml", "<s>" + repeat(unit, large) + "</s>"})
	}
	word := func(part, unit string) []byte {
		return officetest.Word(p("", "x"), officetest.Part{"word/" + part, "<s>" + numbered(unit, large) + "</s>"})
	}
	all := []File{
		{"deep.docx", officetest.Word(repeat("<w:p>", large))}, {"text.docx", officetest.Word(p("", repeat("x", large)))}, {"attributes.docx", officetest.Word("<w:p " + repeat("a ", large) + "/>")},
		{"quoted.docx", officetest.Word("<w:p a='" + repeat("x", large) + "'/>")}, {"styles.docx", word("styles.xml", `<style styleId="s%d"></style>`)},
		{"lists.docx", word("numbering.xml", `<abstractNum abstractNumId="%[1]d"></abstractNum><num numId="%[1]d"><abstractNumId val="%[1]d"/></num>`)},
		{"labels.docx", officetest.Word(repeat(p(`<w:numPr><w:numId w:val="1"/></w:numPr>`, "x"), size), officetest.Part{"word/numbering.xml", `<n><abstractNum abstractNumId="1"><lvl ilvl="0"><lvlText val="` + repeat("%1", size) + `"/></lvl></abstractNum><num numId="1"><abstractNumId val="1"/></num></n>`})},
		{"entities.docx", officetest.Archive(officetest.Links("", "officeDocument", "word/document.xml"), officetest.Part{"word/document.xml", `<!DOCTYPE d [<!ENTITY a "` + repeat("x", size) + `"><!ENTITY b "&a;&a;&a;&a;">]><d><p><t>` + repeat("&b;", size) + `</t></p></d>`})},
		{"self.docx", officetest.Word(p("", "x"), officetest.Links("word/charts/chart1.xml", "chartUserShapes", "/word/charts/chart1.xml", "chart", "/word/charts/chart1.xml"), officetest.Part{"word/charts/chart1.xml", "<c><v>x</v></c>"})},
		{"links.docx", officetest.Archive(officetest.Links("", slices.Repeat([]string{"officeDocument", "word/document.xml"}, large/100)...), officetest.Part{"word/document.xml", "<d/>"})},
		{"columns.ods", officetest.OpenDocument("spreadsheet", repeat(`<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>`, size))},
		{"spaces.odt", officetest.OpenDocument("text", body("<text:p>"+repeat(`<text:s text:c="2147483647"/>`, size)+"</text:p>"))}, {"nested.odt", officetest.OpenDocument("text", body(repeat("<text:list>", large)))},
		{"styles.odt", lists("<text:list-style/>")}, {"names.odt", officetest.OpenDocument("text", body("x"), officetest.Part{"styles.xml", "<s>" + numbered(`<text:list-style style:name="s%d"/>`, large) + "</s>"})},
		{"slides.pptx", officetest.Archive(officetest.Links("", "officeDocument", "ppt/presentation.xml"), officetest.Part{"ppt/presentation.xml", "<p>" + repeat(`<sldId id="256" r:id="r0"/>`, large) + "</p>"}, officetest.Links("ppt/presentation.xml", "slide", "slides/slide1.xml"), officetest.Part{"ppt/slides/slide1.xml", "<s/>"})},
		{"directory.docx", directory(size)}, {"bomb.docx", officetest.Archive(officetest.Links("", "officeDocument", "word/document.xml"), officetest.Part{"word/document.xml", repeat("<p></p>", 32<<20)})},
	}
	return append(all, workbooks(random, size)...)
}

// workbooks returns Excel workbooks.
func workbooks(random *rand.Rand, size int) []File {
	large := size * inflated
	shared := repeat("x", min(size*8, 1<<20))
	styles := officetest.Archive(officetest.Links("", "officeDocument", "xl/workbook.xml"), officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="x" r:id="r0"/></sheets></workbook>`},
		officetest.Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "styles", "styles.xml"), officetest.Part{"xl/worksheets/sheet1.xml", "<s><row><c><v>1</v></c></row></s>"},
		officetest.Part{"xl/styles.xml", "<s>" + numbered(`<numFmt numFmtId="%d" formatCode="0.00"/>`, large/2) + "<cellXfs>" + repeat(`<xf numFmtId="1"/>`, large/2) + "</cellXfs></s>"})
	sheets := officetest.Archive(officetest.Links("", "officeDocument", "xl/workbook.xml"), officetest.Part{"xl/workbook.xml", "<workbook><sheets>" + repeat(`<sheet name="x" r:id="r0"/>`, large) + "</sheets></workbook>"},
		officetest.Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml"), officetest.Part{"xl/worksheets/sheet1.xml", "<s><row><c><v>1</v></c></row></s>"})
	return []File{
		{"shared.xlsx", officetest.Workbook(repeat(`<row><c t="s"><v>0</v></c></row>`, large), shared)}, {"strings.xlsx", officetest.Workbook("<row/>", strings.Split(repeat("x,", size), ",")...)},
		{"empty.xlsx", officetest.Workbook(`<row><c t="s"><v>0</v></c></row></sheetData><sheetData>`, slices.Repeat([]string{""}, large/20)...)},
		{"columns.xlsx", officetest.Workbook(repeat(`<row><c r="XFD1"><v>1</v></c></row>`, size))}, {"names.xlsx", officetest.Workbook("<row>" + strings.Repeat(`<c t="str"><v>a</v></c>`, 16_384) + "</row>" + repeat(`<row><c><v>1</v></c></row>`, size))},
		{"rows.xlsx", officetest.Workbook(repeat("<row/>", large))}, {"number.xlsx", officetest.Workbook(`<row r="` + huge(random) + `"><c s="` + huge(random) + `"><v>` + repeat("9", size) + `</v></c></row>`)},
		{"styles.xlsx", styles}, {"sheets.xlsx", sheets}, {"cell.xlsx", officetest.Workbook(`<row><c t="str"><v>` + repeat("x", large) + `</v></c></row>`)},
	}
}

// directory returns an archive with as many entries as fit.
func directory(size int) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; b.Len() < size; i++ {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			panic(err) // writes to a buffer do not fail
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// compounds returns office documents before 2007.
func compounds(random *rand.Rand, size int) []File {
	seed := officetest.Compound(officetest.Part{"WordDocument", strings.Repeat("\x00", 12)}, officetest.Part{"\x05SummaryInformation", officetest.Summary("x")})
	file := func(name string, change func(b []byte)) File {
		b := append(bytes.Clone(seed), make([]byte, size)...)
		change(b)
		return File{name, b}
	}
	le := binary.LittleEndian
	return []File{
		file("fat.doc", func(b []byte) { le.PutUint32(b[44:], uint32(len(b)/512)) }), file("difat.doc", func(b []byte) { le.PutUint32(b[68:], 0); le.PutUint32(b[72:], 1<<31-1) }),
		file("loop.doc", func(b []byte) { le.PutUint32(b[512:], 0); le.PutUint32(b[516:], 1) }), file("minifat.xls", func(b []byte) { le.PutUint32(b[60:], 1); le.PutUint32(b[64:], 1<<31-1) }),
		file("sector.ppt", func(b []byte) { b[30] = byte(random.IntN(32)) }), file("random.doc", func(b []byte) {
			for i := 512; i < 1536; i += 4 {
				le.PutUint32(b[i:], uint32(random.IntN(8)))
			}
		}),
	}
}
