package office_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

// TestWhatIsShownIsText: what Word, Excel and PowerPoint show, or state about a picture, is in the text.
func TestWhatIsShownIsText(t *testing.T) {
	sheet := func(cells string) []byte { return officetest.Workbook(`<row>` + cells + `</row>`) }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"drop-down, chosen":  {officetest.Word(`<w:p><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="first"/><w:listEntry w:val="second"/></w:ddList></w:ffData></w:p>`), "second"},
		"drop-down, default": {officetest.Word(`<w:p><w:ffData><w:ddList><w:listEntry w:val="first"/><w:listEntry w:val="second"/></w:ddList></w:ffData></w:p>`), "first"},
		"description":        {officetest.Word(`<w:p><w:r><w:t>a</w:t><w:drawing><wp:docPr descr="a quokka"/><pic:cNvPr descr="again"/></w:drawing><w:t>b</w:t></w:r></w:p>`), "a a quokka b"},
		"symbols": {officetest.Word(`<w:p><w:r><w:t>20 </w:t><w:sym w:font="Symbol" w:char="F0B0"/><w:t>C, </w:t><w:sym w:font="Symbol" w:char="F061"/><w:t>-decay </w:t>` +
			`<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Webdings" w:char="F0FC"/><w:sym w:font="Arial" w:char="00E9"/></w:r></w:p>`), "20 °C, α-decay ✓é"},
		"ruby": {officetest.Word(`<w:p><w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>` +
			`<w:r><w:ruby><w:rt><w:r><w:t>じ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>字</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`), "漢字"},
		"phonetic guide": {sheet(`<c t="inlineStr"><is><t>漢字</t><rPh><t>カンジ</t></rPh></is></c>`), "Prices\n漢字"},
		"escapes":        {sheet(`<c t="inlineStr"><is><t>a_x000D_b _x005F_x0041_ _x0041_z _xD800_</t></is></c>`), "Prices\na\nb _x0041_ Az _xD800_"},
		"ISO date":       {sheet(`<c t="d" s="1"><v>2023-03-15T00:00:00</v></c><c t="d"><v>soon</v></c>`), "Prices\n2023-03-15\tsoon"},
	} {
		if d := mustRead(t, c.data); d.Text != c.want {
			t.Errorf("%s: got %q, want %q", name, d.Text, c.want)
		}
	}
	const series = `<c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx>` +
		`<c:cat><c:pt><c:v>2025</c:v></c:pt></c:cat><c:val><c:numCache><c:formatCode>0%</c:formatCode><c:pt><c:v>0.1700000001</c:v></c:pt></c:numCache></c:val></c:ser>`
	for chart, want := range map[string]string{
		`<c:title/><c:autoTitleDeleted val="0"/>` + series: "fox\nSales\nSales\n2025 17%",
		`<c:title/>` + series + series:                     "fox\nChart Title\nSales\n2025 17%\nSales\n2025 17%",
		`<c:title/><c:autoTitleDeleted val="1"/>` + series: "fox\nSales\n2025 17%",
		series: "fox\nSales\n2025 17%",
		`<c:title><a:p><a:r><a:t>Foxes</a:t></a:r></a:p></c:title>` + series: "fox\nFoxes\nSales\n2025 17%",
	} {
		document := officetest.Word(officetest.Paragraph("", "fox"), officetest.Links("word/document.xml", "chart", "charts/chart1.xml"),
			officetest.Part{"word/charts/chart1.xml", `<c:chartSpace><c:chart>` + chart + `</c:chart></c:chartSpace>`})
		if d := mustRead(t, document); d.Text != want {
			t.Errorf("%s: got %q, want %q", chart, d.Text, want)
		}
	}
	slide := officetest.Presentation(`</a:t></a:r></a:p></p:txBody></p:sp><p:pic><p:nvPicPr><p:cNvPr descr="a chart of quokkas"/></p:nvPicPr></p:pic><p:sp><p:txBody><a:p><a:r><a:t>below`, "notes")
	if d := mustRead(t, slide); d.Text != "a chart of quokkas\nbelow\nnotes" {
		t.Errorf("got %q, want the description of the picture", d.Text)
	}
}
