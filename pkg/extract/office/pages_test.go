package office_test

import (
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

// TestSheets checks that form feeds separate sheets, which begin with their names and contain their charts, and that long numbers
// have the index of their sheet.
func TestSheets(t *testing.T) {
	excel := mustRead(t, officetest.Archive(
		officetest.Links("", "officeDocument", "xl/workbook.xml"),
		officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="First" r:id="r0"/><sheet name="Empty" r:id="r1"/><sheet name="Last" r:id="r2"/></sheets></workbook>`},
		officetest.Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "worksheet", "worksheets/sheet2.xml", "worksheet", "worksheets/sheet3.xml"),
		officetest.Part{"xl/worksheets/sheet1.xml", `<worksheet><row><c t="str"><v>apples</v></c></row></worksheet>`},
		officetest.Part{"xl/worksheets/sheet2.xml", `<worksheet/>`},
		officetest.Part{"xl/worksheets/sheet3.xml", `<worksheet><row><c><v>4006381333931</v></c></row></worksheet>`},
	))
	if want := "First\napples\fEmpty\fLast\n4006381333931"; excel.Text != want {
		t.Errorf("got %q, want %q", excel.Text, want)
	}
	open := mustRead(t, officetest.OpenDocument("spreadsheet", `<table:table table:name="First"><table:table-row><table:table-cell><text:p>apples</text:p>
			<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></table:table-cell></table:table-row></table:table>
		<table:table table:name="Last"><table:table-row><table:table-cell office:value-type="float" office:value="4006381333931"><text:p>4.00638E+12</text:p></table:table-cell>
			</table:table-row></table:table>`,
		officetest.Part{"Object 1/content.xml", `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><text:p>a chart</text:p></office:body></office:document-content>`},
		officetest.Part{"Object 2/content.xml", `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><text:p>not shown</text:p></office:body></office:document-content>`}))
	if want := "First\napples\na chart\fLast\n4.00638E+12\nnot shown"; open.Text != want {
		t.Errorf("got %q, want %q", open.Text, want)
	}
	if want := []office.Number{{Digits: "4006381333931", Sheet: 1}}; !slices.Equal(open.Numbers, want) {
		t.Errorf("got %v, want %v", open.Numbers, want)
	}
}

// TestSlides checks that form feeds separate slides, also those without a text.
func TestSlides(t *testing.T) {
	power := mustRead(t, officetest.Archive(
		officetest.Links("", "officeDocument", "ppt/presentation.xml"),
		officetest.Part{"ppt/presentation.xml", `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r0"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>`},
		officetest.Links("ppt/presentation.xml", "slide", "slides/slide1.xml", "slide", "slides/slide2.xml"),
		officetest.Part{"ppt/slides/slide1.xml", `<p:sld xmlns:p="p"/>`},
		officetest.Part{"ppt/slides/slide2.xml", `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:t>second</a:t></a:p></p:sp></p:sld>`},
	))
	open := mustRead(t, officetest.OpenDocument("presentation", `<draw:page/><draw:page><table:table><table:table-row><table:table-cell><text:p>second</text:p></table:table-cell></table:table-row></table:table></draw:page>`))
	for _, d := range []*office.Document{power, open} {
		if want := "\fsecond"; d.Text != want {
			t.Errorf("%s: got %q, want %q", d.Format, d.Text, want)
		}
	}
}
