package office_test

import (
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

const jpeg = "\xff\xd8\xff\xe0 a picture"

func TestWord(t *testing.T) {
	cell := func(s string) string { return `<w:tc>` + officetest.Paragraph("", s) + `</w:tc>` }
	item := func(list, level string) string {
		return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr>`
	}
	d := mustRead(t, officetest.Word(
		officetest.Paragraph(`<w:pStyle w:val="Heading1"/>`, "Foxes &amp; dogs")+
			officetest.Paragraph(`<w:tabs><w:tab w:val="left"/></w:tabs>`, "The quick")+
			`<w:p><w:r><w:t>brown</w:t><w:tab/><w:t>fox</w:t><w:br/><w:t>jumps</w:t></w:r><w:r><w:delText>never</w:delText><w:instrText>PAGE</w:instrText></w:r></w:p>`+
			`<w:tbl><w:tr>`+cell("a")+cell("b")+`</w:tr><w:tr>`+cell("c")+cell("d")+`</w:tr></w:tbl>`+
			officetest.Paragraph(item("7", "0"), "first")+officetest.Paragraph(item("7", "1"), "inner")+officetest.Paragraph(item("7", "1"), "inner")+officetest.Paragraph(item("7", "0"), "second")+officetest.Paragraph(item("9", "0"), "restarted")+officetest.Paragraph(item("9", "1"), "inner")+
			`<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>`+officetest.Paragraph("", "box")+`</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>`+officetest.Paragraph("", "box")+`</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
		officetest.Part{"word/header1.xml", `<w:hdr>` + officetest.Paragraph("", "on top") + `</w:hdr>`},
		officetest.Part{"word/footer1.xml", `<w:ftr>` + officetest.Paragraph("", "below") + `</w:ftr>`},
		officetest.Part{"word/footnotes.xml", `<w:footnotes><w:footnote>` + officetest.Paragraph("", "a note") + `</w:footnote></w:footnotes>`},
		officetest.Part{"word/comments.xml", `<w:comments><w:comment>` + officetest.Paragraph("", "a comment") + `</w:comment></w:comments>`},
		officetest.Part{"word/numbering.xml", `<w:numbering><w:abstractNum w:abstractNumId="3">
			<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
			<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1%2)"/></w:lvl></w:abstractNum>
			<w:abstractNum w:abstractNumId="4"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="Chapter %1"/><w:pStyle w:val="Heading1"/></w:lvl></w:abstractNum>
			<w:num w:numId="7"><w:abstractNumId w:val="3"/></w:num>
			<w:num w:numId="8"><w:abstractNumId w:val="4"/></w:num>
			<w:num w:numId="9"><w:abstractNumId w:val="3"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride><w:lvlOverride w:ilvl="1"><w:lvl w:ilvl="1"><w:start w:val="2"/><w:numFmt w:val="ordinal"/><w:lvlText w:val="%2"/></w:lvl></w:lvlOverride></w:num></w:numbering>`},
		officetest.Part{"word/styles.xml", `<w:styles><w:style w:styleId="Heading1"><w:pPr><w:numPr><w:numId w:val="8"/></w:numPr></w:pPr></w:style></w:styles>`},
		officetest.Part{"word/charts/chart1.xml", `<c:chartSpace><c:title><a:p><a:r><a:t>Foxes by year</a:t></a:r></a:p></c:title><c:ser><c:pt><c:v>2025</c:v></c:pt><c:pt><c:v>17</c:v></c:pt></c:ser></c:chartSpace>`},
		officetest.Part{"word/diagrams/data1.xml", `<dgm:dataModel><dgm:pt><a:p><a:t>hunt</a:t></a:p></dgm:pt><dgm:pt><a:p><a:t>sleep</a:t></a:p></dgm:pt></dgm:dataModel>`},
		officetest.Part{"docProps/core.xml", `<cp:coreProperties><dc:title>On Foxes</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2026-11-22T10:30:00Z</dcterms:created></cp:coreProperties>`},
		officetest.Part{"docProps/app.xml", `<Properties><Application>Microsoft Office Word</Application><Pages>3</Pages><Words>120</Words></Properties>`},
		officetest.Part{"docProps/t.jpeg", jpeg},
	))
	want := "on top\nChapter 1 Foxes & dogs\nThe quick\nbrown\tfox\njumps\na\nb\nc\nd\nI. first\nIa) inner\nIb) inner\nII. second\nI. restarted\n2nd inner\nbox\nbelow\na note\na comment\nFoxes by year\n2025 17\nhunt\nsleep"
	if d.Text != want {
		t.Errorf("got %q, want\n%q", d.Text, want)
	}
	properties := office.Properties{Title: "On Foxes", Author: "Ada", Created: time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC), Application: "Microsoft Office Word", Pages: 3, Words: 120}
	if d.Format != "docx" || d.Properties != properties || string(d.Thumbnail) != jpeg {
		t.Errorf("got %s, %+v, thumbnail %q; want docx, %+v, thumbnail %q", d.Format, d.Properties, d.Thumbnail, properties, jpeg)
	}
}

func TestWorkbook(t *testing.T) {
	data := officetest.Archive(
		officetest.Links("", "officeDocument", "xl/workbook.xml"),
		officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="Prices" r:id="r2"/><sheet name="Empty" r:id="r9"/></sheets></workbook>`},
		officetest.Links("xl/workbook.xml", "sharedStrings", "sharedStrings.xml", "styles", "styles.xml", "worksheet", "worksheets/sheet1.xml"),
		officetest.Part{"xl/sharedStrings.xml", `<sst><si><t>apples</t></si><si><r><t>red </t></r><r><t>ones</t></r><rPh><t>never</t></rPh></si></sst>`},
		officetest.Part{"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm\-dd"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
			<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="10"/><xf numFmtId="4"/></cellXfs></styleSheet>`},
		officetest.Part{"xl/worksheets/sheet1.xml", `<worksheet><sheetData>
			<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>99</v></c></row>
			<row><c s="1"><v>46348</v></c><c s="2"><v>0.125</v></c><c s="3"><v>1234567.891</v></c><c><v>0.1</v></c></row>
			<row><c t="b"><v>1</v></c><c t="str"><f>A1&amp;B1</f><v>sum</v></c><c t="inlineStr"><is><t>inline</t></is></c><c t="e"><v>#DIV/0!</v></c></row>
			</sheetData><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Secret &amp;&amp; mine&amp;P</oddHeader></headerFooter></worksheet>`},
		officetest.Links("xl/worksheets/sheet1.xml", "comments", "../comments1.xml", "drawing", "../drawings/drawing1.xml"),
		officetest.Part{"xl/comments1.xml", `<comments><commentList><comment><text><r><t>a comment</t></r></text></comment></commentList></comments>`},
		officetest.Part{"xl/drawings/drawing1.xml", `<xdr:wsDr><xdr:sp><a:p><a:r><a:t>a shape</a:t></a:r></a:p></xdr:sp></xdr:wsDr>`},
		officetest.Links("xl/drawings/drawing1.xml", "chart", "../charts/chart1.xml"),
		officetest.Part{"xl/charts/chart1.xml", `<c:chart><c:title><a:p><a:t>a chart</a:t></a:p></c:title></c:chart>`},
	)
	d := mustRead(t, data)
	want := "Prices\napples\tred ones\n2026-11-22\t12.50%\t1,234,567.89\t0.1\nTRUE\tsum\tinline\t#DIV/0!\nSecret & mine\na shape\na chart\na comment"
	if d.Format != "xlsx" || d.Text != want {
		t.Errorf("got %s, %q, want\n%q", d.Format, d.Text, want)
	}
}

func TestPresentation(t *testing.T) {
	shape := func(text string) string {
		return `<p:sp><p:txBody><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	numbered := `<p:sp><p:txBody><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>one</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>two</a:t></a:r></a:p></p:txBody></p:sp>`
	d := mustRead(t, officetest.Archive(
		officetest.Links("", "officeDocument", "ppt/presentation.xml"),
		officetest.Part{"ppt/presentation.xml", `<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" r:id="r0"/></p:sldIdLst></p:presentation>`},
		officetest.Links("ppt/presentation.xml", "slide", "slides/slide1.xml", "slide", "slides/slide2.xml"),
		officetest.Part{"ppt/slides/slide1.xml", `<p:sld>` + numbered + `</p:sld>`},
		officetest.Links("ppt/slides/slide1.xml", "slideLayout", "../slideLayouts/l.xml"),
		officetest.Part{"ppt/slides/slide2.xml", `<p:sld>` + shape("the first slide") + `<a:tbl><a:tr><a:tc><a:txBody><a:p><a:t>a</a:t></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:t>b</a:t></a:p></a:txBody></a:tc></a:tr></a:tbl></p:sld>`},
		officetest.Links("ppt/slides/slide2.xml", "notesSlide", "../notesSlides/n.xml", "slideLayout", "../slideLayouts/l.xml"),
		officetest.Part{"ppt/notesSlides/n.xml", `<p:notes>` + shape("say hello") + `</p:notes>`},
		officetest.Part{"ppt/slideLayouts/l.xml", `<p:sldLayout><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:t>Click to edit</a:t></a:p></p:txBody></p:sp>` + shape("the company") + `</p:sldLayout>`},
	))
	if want := "the first slide\na\nb\nsay hello\nthe company\f1. one\n2. two"; d.Format != "pptx" || d.Text != want {
		t.Errorf("got %s, %q, want\n%q", d.Format, d.Text, want)
	}
}
