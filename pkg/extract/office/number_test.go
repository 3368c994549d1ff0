package office_test

import (
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

// TestLongNumbers checks that the digits of identifiers that the text abbreviates or groups are kept, and not in the text.
func TestLongNumbers(t *testing.T) {
	d := mustRead(t, officetest.Archive(
		officetest.Links("", "officeDocument", "xl/workbook.xml"),
		officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="Prices" r:id="r1"/></sheets></workbook>`},
		officetest.Links("xl/workbook.xml", "styles", "styles.xml", "worksheet", "worksheets/sheet1.xml"),
		officetest.Part{"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="1"/><xf numFmtId="3"/></cellXfs></styleSheet>`},
		officetest.Part{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row>
			<c><v>4006381333931</v></c><c s="1"><v>4006381333948</v></c><c s="2"><v>4006381333955</v></c><c t="n"><v>-1.23456789012E11</v></c>
			<c><v>12345678901</v></c><c><v>123456789012.5</v></c><c><v>1.2345678901234567E+20</v></c><c t="str"><v>4006381333962</v></c></row></sheetData></worksheet>`},
	))
	if want := []office.Number{{Digits: "4006381333931"}, {Digits: "4006381333955"}, {Digits: "123456789012"}}; !slices.Equal(d.Numbers, want) {
		t.Errorf("got %v, want %v", d.Numbers, want)
	}
	if want := "Prices\n4.00638E+12\t4006381333948\t4,006,381,333,955\t-1.23457E+11\t12345678901\t1.23457E+11\t1.23457E+20\t4006381333962"; d.Text != want {
		t.Errorf("got %q, want %q", d.Text, want)
	}
	d = mustRead(t, officetest.OpenDocument("spreadsheet", `<table:table><table:table-row>
		<table:table-cell office:value-type="float" office:value="4006381333931"><text:p>4.00638E+12</text:p></table:table-cell>
		<table:table-cell office:value-type="float" office:value="4006381333948"><text:p>4006381333948</text:p></table:table-cell>
		<table:table-cell office:value-type="float" office:value="4006381333955"/></table:table-row></table:table>`))
	if want := []office.Number{{Digits: "4006381333931"}}; !slices.Equal(d.Numbers, want) || d.Text != "4.00638E+12\t4006381333948\t4006381333955" {
		t.Errorf("got %v and the text %q, want %v", d.Numbers, d.Text, want)
	}
}
