package numberformat_test

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/numberformat"
)

// minEqual is the number of the 589 results that must be equal. The others are text formats without a place for the text,
// which a cell does not apply to its text.
const minEqual = 580

type poiCell struct {
	Ref   string `xml:"r,attr"`
	Type  string `xml:"t,attr"`
	Value string `xml:"v"`
}

// TestResultsOfExcel compares with the results that Excel stored in the format workbooks of Apache POI.
func TestResultsOfExcel(t *testing.T) {
	dir := os.Getenv("ASSAY_POI")
	if dir == "" {
		t.Skip("ASSAY_POI does not name the folder test-data/spreadsheet of Apache POI")
	}
	equal, all := 0, 0
	for _, name := range []string{"NumberFormat", "GeneralFormat", "ElapsedFormat", "FormatCondition", "FormatChoice", "TextFormat", "DateFormat"} {
		for _, row := range poiRows(t, filepath.Join(dir, name+"Tests.xlsx")) {
			all++
			if got := shownAs(t, row); got == row.want {
				equal++
			} else {
				t.Logf("%s: %s %q in format %s = %q, Excel displays %q", name, row.kind, row.value, row.code, got, row.want)
			}
		}
	}
	t.Logf("%d of %d results are equal", equal, all)
	if all != 589 || equal < minEqual {
		t.Errorf("%d of %d results are equal, want %d of 589", equal, all, minEqual)
	}
}

func shownAs(t *testing.T, row poiRow) string {
	t.Helper()
	format := numberformat.Parse(row.code)
	switch row.kind {
	case "s":
		return format.Text(row.value)
	case "b":
		return format.Text(map[string]string{"0": "FALSE", "1": "TRUE"}[row.value])
	}
	n, err := strconv.ParseFloat(row.value, 64)
	if err != nil {
		t.Fatal(err)
	}
	return format.Number(n, row.date1904)
}

type poiRow struct {
	want, code, kind, value string
	date1904                bool
}

// poiRows returns the rows of the sheet Tests after the one whose first cell begins with "Result (expected".
func poiRows(t *testing.T, path string) (rows []poiRow) {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := archive.Close(); err != nil {
			t.Error(err)
		}
	}()
	read := func(name string, to any) {
		t.Helper()
		f, err := archive.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(xml.NewDecoder(f).Decode(to), f.Close()); err != nil {
			t.Fatalf("%s: %s: %v", path, name, err)
		}
	}
	var shared struct {
		Items []struct {
			Text string   `xml:"t"`
			Runs []string `xml:"r>t"`
		} `xml:"si"`
	}
	read("xl/sharedStrings.xml", &shared)
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	read("xl/workbook.xml", &book)
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	read("xl/_rels/workbook.xml.rels", &relations)
	var sheet struct {
		Rows []struct {
			Cells []poiCell `xml:"c"`
		} `xml:"sheetData>row"`
	}
	for _, s := range book.Sheets {
		for _, r := range relations.All {
			if s.Name == "Tests" && r.ID == s.ID {
				read("xl/"+strings.TrimPrefix(r.Target, "/xl/"), &sheet)
			}
		}
	}
	text := func(c poiCell) string {
		if c.Type != "s" {
			return c.Value
		}
		n, err := strconv.Atoi(c.Value)
		if err != nil {
			t.Fatal(err)
		}
		return shared.Items[n].Text + strings.Join(shared.Items[n].Runs, "")
	}
	begun := false
	for _, r := range sheet.Rows {
		cells := map[string]poiCell{}
		for _, c := range r.Cells {
			cells[strings.TrimRight(c.Ref, "0123456789")] = c
		}
		if begun && text(cells["A"]) != "" && cells["B"].Ref != "" && text(cells["B"]) != "" {
			rows = append(rows, poiRow{text(cells["A"]), text(cells["B"]), cells["C"].Type, text(cells["C"]), book.Properties.Date1904 == "1"})
		}
		begun = begun || strings.HasPrefix(text(cells["A"]), "Result (expected")
	}
	return rows
}
