package sheet

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestOpenings reads tables whose header, delimiter and first lines leave room: which columns and rows they have, which lines
// precede them, and what a remark says. A file without a remark is not ambiguous.
func TestOpenings(t *testing.T) {
	const header, row, preamble = "header=no makes it a row", "header=yes makes it the header", "kept as its preamble"
	for name, test := range map[string]struct {
		text     string
		options  Options
		columns  string
		rows     []string
		preamble string
		remark   string
	}{
		"years above numbers": {text: "sample,2023,2024\nA,1,2\nB,3,4\n", columns: "sample|2023|2024", rows: []string{"sample=A 2023=1 2024=2", "sample=B 2023=3 2024=4"}, remark: header},
		"years, header=no":    {text: "sample,2023,2024\nA,1,2\n", options: Options{Header: "no"}, columns: "column 1|column 2|column 3", rows: []string{"column 1=sample column 2=2023 column 3=2024", "column 1=A column 2=1 column 3=2"}},
		"years, header=yes":   {text: "sample,2023,2024\nA,1,2\n", options: Options{Header: "yes"}, columns: "sample|2023|2024", rows: []string{"sample=A 2023=1 2024=2"}},
		"wells":               {text: "row,1,2,3\nA,0.11,1.25,2.5\nB,0.2,2.5,3.5\n", columns: "row|1|2|3", rows: []string{"row=A 1=0.11 2=1.25 3=2.5", "row=B 1=0.2 2=2.5 3=3.5"}, remark: header},
		"text above numbers":  {text: "id,50 %,95\n1,a,x\n2,b,y\n", columns: "id|50 %|95", rows: []string{"id=1 50 %=a 95=x", "id=2 50 %=b 95=y"}, remark: header},
		"dates above numbers": {text: "sample,2024-05-01,2024-05-02\nA,1,2\nB,3,4\n", columns: "sample|2024-05-01|2024-05-02", rows: []string{"sample=A 2024-05-01=1 2024-05-02=2", "sample=B 2024-05-01=3 2024-05-02=4"}, remark: header},
		"numbers that do not rise": {text: "A,7,5\nB,6,8\nC,9,4\n", columns: "column 1|column 2|column 3",
			rows: []string{"column 1=A column 2=7 column 3=5", "column 1=B column 2=6 column 3=8", "column 1=C column 2=9 column 3=4"}, remark: row},
		"numbers only":            {text: "1,2\n3,4\n", columns: "column 1|column 2", rows: []string{"column 1=1 column 2=2", "column 1=3 column 2=4"}},
		"numbers, header=yes":     {text: "1,2\n3,4\n", options: Options{Header: "yes"}, columns: "1|2", rows: []string{"1=3 2=4"}},
		"texts, header=no":        {text: "a,b\nc,d\n", options: Options{Header: "no"}, columns: "column 1|column 2", rows: []string{"column 1=a column 2=b", "column 1=c column 2=d"}},
		"NaN is not a name":       {text: "28.2.2008;1:00;NaN\n28.2.2008;2:00;55\n", columns: "column 1|column 2|column 3", rows: []string{"column 1=28.2.2008 column 2=1:00 column 3=NaN", "column 1=28.2.2008 column 2=2:00 column 3=55"}},
		"comments":                {text: "# instrument X\n# date 2024\nwl,abs\n400,0.1\n401,0.2\n", columns: "wl|abs", rows: []string{"wl=400 abs=0.1", "wl=401 abs=0.2"}, preamble: "# instrument X\n# date 2024", remark: preamble},
		"comments with commas":    {text: "# one, two\n# three, four\nwl,abs\n400,0.1\n401,0.2\n", columns: "wl|abs", rows: []string{"wl=400 abs=0.1", "wl=401 abs=0.2"}, preamble: "# one, two\n# three, four", remark: preamble},
		"a column #":              {text: "#,name\n1,x\n2,y\n", columns: "#|name", rows: []string{"#=1 name=x", "#=2 name=y"}},
		"a header with #":         {text: "##v1\n#chrom\tpos\n1\t100\n2\t200\n", columns: "#chrom|pos", rows: []string{"#chrom=1 pos=100", "#chrom=2 pos=200"}, preamble: "##v1", remark: preamble},
		"a quoted #":              {text: "\"# of use\",b\nx,1\n", columns: "# of use|b", rows: []string{"# of use=x b=1"}},
		"names and values":        {text: "Instrument,UV-1800\nDate,2024-05-01\n\nWavelength nm.,Abs.\n400,0.1\n401,0.2\n", columns: "Wavelength nm.|Abs.", rows: []string{"Wavelength nm.=400 Abs.=0.1", "Wavelength nm.=401 Abs.=0.2"}, preamble: "Instrument,UV-1800\nDate,2024-05-01", remark: preamble},
		"free text":               {text: "Measured by Ann\nOperator: Bob\n\nt;x;y\n1;2;3\n2;3;4\n", columns: "t|x|y", rows: []string{"t=1 x=2 y=3", "t=2 x=3 y=4"}, preamble: "Measured by Ann\nOperator: Bob", remark: preamble},
		"a section mark":          {text: "[Header]\nDate,1/2/2024,,\n\n[Data]\nSample,Index,Lane,Reads\nA,ACGT,1,10\nB,TTTT,2,20\n", columns: "Sample|Index|Lane|Reads", rows: []string{"Sample=A Index=ACGT Lane=1 Reads=10", "Sample=B Index=TTTT Lane=2 Reads=20"}, preamble: "[Header]\nDate,1/2/2024,,\n\n[Data]", remark: preamble},
		"padded by a spreadsheet": {text: "Report,,\nDate,2024,\n,,\nName,Mass,Count\nx,1.5,2\ny,2.5,3\n", columns: "Name|Mass|Count", rows: []string{"Name=x Mass=1.5 Count=2", "Name=y Mass=2.5 Count=3"}, preamble: "Report,,\nDate,2024,\n,,", remark: preamble},
		"a directive":             {text: "sep=;\na,b;c\n1,5;2\n", columns: "a,b|c", rows: []string{"a,b=1,5 c=2"}, preamble: "sep=;"},
		"blank lines inside":      {text: "a,b\n1,2\n\n3,4\n\n\n5,6\n", columns: "a|b", rows: []string{"a=1 b=2", "a=3 b=4", "a=5 b=6"}},
		"two tables":              {text: "x,y\n1,2\n3,4\n\nu,v\n5,6\n", columns: "x|y", rows: []string{"x=1 y=2", "x=3 y=4", "x=u y=v", "x=5 y=6"}},
		"a ragged table":          {text: "a,b,c\n1,2\n3,4\n5,6\n7,8\n", columns: "a|b|c", rows: []string{"a=1 b=2", "a=3 b=4", "a=5 b=6", "a=7 b=8"}},
		"row names":               {text: "mpg,cyl\nMazda,21,6\nFiat,32,4\nFord,15,8\n", columns: "column 1|mpg|cyl", rows: []string{"column 1=Mazda mpg=21 cyl=6", "column 1=Fiat mpg=32 cyl=4", "column 1=Ford mpg=15 cyl=8"}, remark: "one name fewer"},
		"delimiters at the ends":  {text: "a,b\n1,2,\n3,4,\n5,6,\n", columns: "a|b", rows: []string{"a=1 b=2", "a=3 b=4", "a=5 b=6"}},
		"units":                   {text: "sample,conc,T\n,mg/L,(°C)\nA,1.5,20\nB,2.5,21\n", columns: "sample|conc|T", rows: []string{"sample=A conc=1.5 T=20", "sample=B conc=2.5 T=21"}, remark: "contains the units"},
		"texts like units":        {text: "name,code\nm,x\ns,y\n", columns: "name|code", rows: []string{"name=m code=x", "name=s code=y"}},
		"apostrophes":             {text: "'a','b, c'\n'1','x, y'\n", columns: "a|b, c", rows: []string{"a=1 b, c=x, y"}, remark: "quoted with apostrophes"},
		"escaped quotes":          {text: "a,b\n\"x \\\"y\\\", z\",1\n\"u\",2\n", columns: "a|b", rows: []string{"a=x \"y\", z b=1", "a=u b=2"}},
		"blanks in quotes":        {text: "a,b\n\" x \", y \n", columns: "a|b", rows: []string{"a= x  b=y"}},
		"another delimiter":       {text: "a;b|c\n1;2|3\n", options: Options{Delimiter: "|"}, columns: "a;b|c", rows: []string{"a;b=1;2 c=3"}},
		"decimal commas":          {text: "1,5;2,5\n1,7;3,5\n", columns: "column 1|column 2", rows: []string{"column 1=1,5 column 2=2,5", "column 1=1,7 column 2=3,5"}},
		"delimiters alike":        {text: "a,b;c\nd,e;f\n", columns: "a|b;c", rows: []string{"a=d b;c=e;f"}, remark: "delimiter=; uses it"},
		"a sentence with commas":  {text: "name;note\nx;first, second\ny;third, fourth\n", columns: "name|note", rows: []string{"name=x note=first, second", "name=y note=third, fourth"}},
	} {
		rows, err := NewText(strings.NewReader(test.text), test.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(rows.Columns(), "|"); got != test.columns || rows.Preamble != test.preamble {
			t.Errorf("%s: got columns %q and preamble %q, want %q and %q", name, got, rows.Preamble, test.columns, test.preamble)
		}
		if got := strings.Join(rows.Remarks, " "); !strings.Contains(got, test.remark) || test.remark == "" && got != "" || len(rows.Remarks) > 1 {
			t.Errorf("%s: got remarks %q, want one with %q", name, rows.Remarks, test.remark)
		}
		if got := read(t, rows); !reflect.DeepEqual(got, test.rows) {
			t.Errorf("%s: got rows %q, want %q", name, got, test.rows)
		}
	}
}

func TestUnitsBelongToColumns(t *testing.T) {
	rows, err := NewText(strings.NewReader("t,c\n(s),mg/L\n1,2\n3,4\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"t": "(s)", "c": "mg/L"}; !reflect.DeepEqual(rows.Units, want) {
		t.Errorf("got units %v, want %v", rows.Units, want)
	}
	for unit, want := range map[string]bool{
		"mg/L": true, "(°C)": true, "[nm]": true, "%": true, "m s-1": true, "µg/mL": true, "cm-1": true, "mol·L-1": true, "kg/m^3": true, "m²": true,
		"water": false, "x": false, "yes": false, "1": false, "": false,
	} {
		if isUnit(unit) != want {
			t.Errorf("%q is a unit: got %t, want %t", unit, !want, want)
		}
	}
}

// TestNothingIsLost checks that every cell of a text is in the preamble, the header, the units or a record.
func TestNothingIsLost(t *testing.T) {
	for _, text := range []string{
		"# one, two\nfree text\n\na,b\n1,2\n3,4\n5,6\n", "Instrument,UV\nDate,May\n\nwl,abs\n400,0.1\n", "x\nx2\na,b\n(s),nm\n1,2\n3,4\n7,8\n", "a,b\n1,2,\n",
	} {
		rows, err := NewText(strings.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept := rows.Preamble + " " + strings.Join(rows.Columns(), " ")
		for _, unit := range rows.Units {
			kept += " " + unit
		}
		kept += " " + strings.Join(read(t, rows), " ")
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \n", r) }) {
			if !strings.Contains(kept, word) {
				t.Errorf("%q: %s is lost", text, word)
			}
		}
	}
}

// TestOpeningsOfSheets checks that sheets have preambles, headers with numbers and units like texts.
func TestOpeningsOfSheets(t *testing.T) {
	row := func(cells ...string) string {
		var b strings.Builder
		b.WriteString("<row>")
		for _, cell := range cells {
			if isNumber(cell) {
				b.WriteString("<c><v>" + cell + "</v></c>")
			} else {
				b.WriteString(`<c t="str"><v>` + cell + "</v></c>")
			}
		}
		return b.String() + "</row>"
	}
	data := workbook(t, map[string]string{
		"xl/worksheets/sheet1.xml": "<s>" + row("Instrument", "UV") + row("Date", "May") + row() + row("t", "A", "B") + row("s", "nm", "%") + row("1", "2", "3") + row("2", "3", "4") + "</s>",
		"xl/worksheets/sheet2.xml": "<s>" + row("sample", "2023", "2024") + row("x", "1", "2") + row("y", "3") + "</s>",
	})
	w, err := NewWorkbook(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"First:6:t=1 A=2 B=3", "First:7:t=2 A=3 B=4", "Second & last:2:sample=x 2023=1 2024=2", "Second & last:3:sample=y 2023=3"}
	if got := read(t, w); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := "Instrument\tUV\nDate\tMay\n"; w.Preamble != want {
		t.Errorf("got preamble %q, want %q", w.Preamble, want)
	}
	if want := map[string]string{"t": "s", "A": "nm", "B": "%"}; !reflect.DeepEqual(w.Units, want) {
		t.Errorf("got units %v, want %v", w.Units, want)
	}
	if len(w.Remarks) != 3 || strings.Contains(strings.Join(w.Remarks, ""), "header=") {
		t.Errorf("got remarks %q, want 3 without options", w.Remarks)
	}
}
