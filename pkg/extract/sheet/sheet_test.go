package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

var mutations = flag.Int("mutations", 200, "number of damaged files for each parser")

type table interface {
	Next() (records.Record, error)
}

// read returns all rows as name=value pairs, and errors in brackets.
func read(t *testing.T, rows table) (all []string) {
	t.Helper()
	for {
		r, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		line := ""
		for _, p := range r.Properties {
			line += fmt.Sprintf("%v:", p.Value)
		}
		for _, f := range r.Fields {
			line += f.Name + "=" + f.Value + " "
		}
		if r.Failed() {
			line = "[" + r.Error + "]"
		}
		all = append(all, strings.TrimSpace(line))
	}
}

func TestTextTables(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		delimiter byte
		want      []string
	}{
		"comma":               {"a,b\r\n1,2\r\n\r\n3,\r\n", ',', []string{"a=1 b=2", "a=3"}},
		"carriage returns":    {"a,b\r1,2\r3,\"x,y\"\r", ',', []string{"a=1 b=2", "a=3 b=x,y"}},
		"semicolon":           {"name;weight\nx;1,5\ny;2,5\n", ';', []string{"name=x weight=1,5", "name=y weight=2,5"}},
		"tab":                 {"a\tb\n1\t\"x\"\"y\t\n,z\"\n", '\t', []string{"a=1 b=x\"y\t\n,z"}},
		"bar, no final break": {"a|b\n1|2", '|', []string{"a=1 b=2"}},
		"no header":           {"1,x\n2,y\n", ',', []string{"column 1=1 column 2=x", "column 1=2 column 2=y"}},
		"a date first":        {"2026-01-02,x\n2026-01-03,y\n", ',', []string{"column 1=2026-01-02 column 2=x", "column 1=2026-01-03 column 2=y"}},
		"a European date":     {"x;31.12.2025\n", ';', []string{"column 1=x column 2=31.12.2025"}},
		"an American date":    {"x,1/2/26 10:30 PM\n", ',', []string{"column 1=x column 2=1/2/26 10:30 PM"}},
		"a date and time":     {"x,2026-01-02T03:04:05Z\n", ',', []string{"column 1=x column 2=2026-01-02T03:04:05Z"}},
		"a time":              {"x,10:30\n", ',', []string{"column 1=x column 2=10:30"}},
		"like dates":          {"due 2026-01-02,Q1/2026,1/2,a:b\n1,2,3,4\n", ',', []string{"due 2026-01-02=1 Q1/2026=2 1/2=3 a:b=4"}},
		"names":               {"a,a,,b b\n1,2,3,4\n", ',', []string{"a=1 a (2)=2 column 3=3 b b=4"}},
		"ragged":              {"a,b\n1\n1,2,3\n1,2,,\n", ',', []string{"a=1", "[the row has 3 cells, but the table has 2 columns]", "a=1 b=2"}},
		"quote inside":        {"a,b\n5\" pipe,2\n\"x\" y,3\n", ',', []string{"a=5\" pipe b=2", "a=\"x\" y b=3"}},
		"open quote":          {"a,b\n\"x,2\ny,3\n\"z\",4\n\"v,5\n", ',', []string{"[a quoted cell is not terminated]", "a=y b=3", "a=z b=4", "a=\"v b=5"}},
		"one column":          {"name\nx\ny\n", ',', []string{"name=x", "name=y"}},
		"empty":               {"", ',', nil},
	} {
		rows, err := NewText(strings.NewReader(test.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, rows); !reflect.DeepEqual(got, test.want) || rows.Delimiter != test.delimiter {
			t.Errorf("%s: got rows %q and delimiter %q, want %q and %q", name, got, rows.Delimiter, test.want, test.delimiter)
		}
	}
}

func TestLongRowsFail(t *testing.T) {
	text := "a,b\n" + strings.Repeat("x", maxRow+100_000) + ",1\ny,2\n\"" + strings.Repeat("z\n", maxCell) + "w,3\n"
	rows, err := NewText(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := read(t, rows)
	if len(all) != maxCell+3 || !strings.Contains(all[0], "longer than") || all[1] != "a=y b=2" || !strings.Contains(all[2], "is not terminated") || all[len(all)-1] != "a=w b=3" {
		t.Errorf("got %d rows that begin with %.80q, want %d with 2 errors", len(all), all[:3], maxCell+3)
	}
}

func TestCharsets(t *testing.T) {
	for name, test := range map[string]struct {
		bytes, contentType, want string
	}{
		"UTF-8":        {"a,b\nµ,2\n", "", "a=µ b=2"},
		"Windows-1252": {"a,b\n" + strings.Repeat("x", 9_000) + "\xb5,2\n", "", "a=" + strings.Repeat("x", 9_000) + "µ b=2"},
		"UTF-16":       {"\xff\xfea\x00,\x00b\x00\n\x00\xb5\x00,\x002\x00", "", "a=µ b=2"},
		"declared":     {"a,b\n\x83\xca,2\n", "text/csv; charset=shift_jis", "a=ﾊ b=2"},
	} {
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(test.bytes)), nil }
		charset, err := plaintext.Text{Open: open, ContentType: test.contentType}.Detect()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := charset.NewReader(strings.NewReader(test.bytes))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := NewText(text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "declared" {
			test.want = "a=" + "\u03bc" + " b=2" // 0x83CA is the Greek letter mu
		}
		if got := read(t, rows); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		text.Free()
	}
	var notText *plaintext.NotTextError
	pdf := plaintext.Text{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("%PDF-1.4\n")), nil }}
	if _, err := pdf.Detect(); !errors.As(err, &notText) {
		t.Errorf("got error %v, want a NotTextError", err)
	}
}

// workbook builds a workbook from its parts.
func workbook(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
		"xl/workbook.xml":            `<x:workbook xmlns:x="m" xmlns:r="n"><x:sheets><x:sheet name="First" r:id="r1"/><x:sheet name="Second &amp; last" r:id="r2"/></x:sheets></x:workbook>`,
		"xl/sharedStrings.xml":       `<sst><si><t>name</t></si><si><r><t>mol</t></r><r><t xml:space="preserve">ecule </t></r><rPh><t>guide</t></rPh></si></sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\-mmm&quot;d&quot;"/><numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="inlineStr"><is><t>made</t></is></c><c t="str"><f>A1</f><v>logP</v></c><c r="E2" t="str"><v>ok</v></c></row>` +
			`<row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4" s="1"><v>45443</v></c><c r="C4" s="3"><v>0.10000000000000001</v></c><c r="E4" t="b"><v>1</v></c></row>` +
			`<row><c s="4"><v>0.5</v></c><c s="5"><v>45443.25</v></c><c><v>12</v></c><c r="F5"><v>1</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row><c><v>1</v></c></row><row/><row><c r="B3" s="2"><v>2</v></c></row></sheetData></worksheet>`,
	}
	for name, text := range parts {
		all[name] = text
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, all[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWorkbooks(t *testing.T) {
	data := workbook(t, nil)
	w, err := NewWorkbook(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"First:4:name=molecule made=2024-05-31 logP=0.1 ok=true",
		"First:5:name=12:00:00 made=2024-05-31T06:00:00 logP=12 column 6=1",
		"Second & last:1:column 1=1",
		"Second & last:3:column 2=1900-01-02",
	}
	if got := read(t, w); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDateInFirstRow checks that a first row with a date is data, because a date is a number.
func TestDateInFirstRow(t *testing.T) {
	data := workbook(t, map[string]string{
		"xl/worksheets/sheet1.xml": `<s><row><c t="str"><v>paid</v></c><c s="1"><v>45443</v></c></row><row><c t="str"><v>open</v></c><c s="1"><v>45444</v></c></row></s>`,
		"xl/worksheets/sheet2.xml": `<s><row><c t="d" s="1"><v>2026-01-02</v></c><c t="str"><v>paid</v></c></row></s>`,
	})
	w, err := NewWorkbook(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"First:1:column 1=paid column 2=2024-05-31", "First:2:column 1=open column 2=2024-06-01", "Second & last:1:column 1=2026-01-02 column 2=paid",
	}
	if got := read(t, w); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRepeatedStrings checks that a small workbook whose cells refer to a long string many times ends after a number of
// bytes, and that a workbook with as much text in its sheets does not.
func TestRepeatedStrings(t *testing.T) {
	const cells = 20_000
	long := strings.Repeat("x", 1_000_000)
	data := workbook(t, map[string]string{
		"xl/sharedStrings.xml":     `<sst><si><t>` + long + `</t></si></sst>`,
		"xl/worksheets/sheet1.xml": `<s>` + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, cells) + `</s>`,
	})
	w, err := NewWorkbook(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for err == nil {
		var r records.Record
		if r, err = w.Next(); err == nil {
			total += len(r.Fields[0].Value)
		}
	}
	if most := spare + perByte*len(data); !errors.Is(err, ErrRepeated) || total < spare/2 || total > most {
		t.Errorf("got %d bytes of cells and %v, want %d to %d and %v", total, err, spare/2, most, ErrRepeated)
	}
	data = workbook(t, map[string]string{
		"xl/sharedStrings.xml":     `<sst><si><t>category</t></si></sst>`,
		"xl/worksheets/sheet1.xml": `<s>` + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, cells) + `</s>`,
	})
	if w, err = NewWorkbook(t.Context(), bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	if rows := read(t, w); len(rows) < cells-1 {
		t.Errorf("got %d rows, want at least %d", len(rows), cells-1)
	}
}

// TestRepeatedNames checks that a header in which all names are equal takes memory, and so time, that is proportional to
// the number of columns.
func TestRepeatedNames(t *testing.T) {
	const columns = 20_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, err := NewText(strings.NewReader(strings.Repeat("a,", columns)+"a\n"), Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if names := text.Columns(); len(names) != columns+1 || names[1] != "a (2)" || names[columns] != fmt.Sprintf("a (%d)", columns+1) {
		t.Errorf("got %d names that begin with %q, want %d", len(names), names[:2], columns+1)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1_000*columns {
		t.Errorf("allocated %d bytes, want at most %d", used, 1_000*columns)
	}
}

// 5 July 2011 is day 40729 from 30 December 1899, and day 39267 from 1 January 1904.
func TestDates(t *testing.T) {
	for _, test := range []struct {
		days     float64
		kind     dateKind
		from1904 bool
		want     string
	}{
		{1, dateOrTime, false, "1900-01-01"}, {61, dateOrTime, false, "1900-03-01"}, {40729, dateOrTime, false, "2011-07-05"}, {39267, dateOrTime, true, "2011-07-05"},
		{0.999994, timeOnly, false, "23:59:59"}, {45443.5, timeOnly, false, "2024-05-31T12:00:00"}, {-1, dateOrTime, false, "-1"}, {1e9, dateOrTime, false, "1000000000"},
	} {
		if got := (&Workbook{from1904: test.from1904}).date(test.days, test.kind); got != test.want {
			t.Errorf("%v: got %s, want %s", test.days, got, test.want)
		}
	}
	for code, want := range map[string]dateKind{
		"yyyy-mm-dd": dateOrTime, "DD.MM.YYYY": dateOrTime, "mm:ss.0": timeOnly, "[$-409]d-mmm-yy;@": dateOrTime, "mmm": dateOrTime, "h:mm AM/PM": timeOnly, "[h]:mm": noDate, "0.00": noDate, `0 "days"`: noDate, "General": noDate, "[Red]0": noDate, "#,##0": noDate,
	} {
		if got := kindOf(code); got != want {
			t.Errorf("%s: got %v, want %v", code, got, want)
		}
	}
}

func TestUnreadableWorkbooks(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"locked":    {append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...), ErrLocked},
		"not a zip": {[]byte("a,b\n1,2\n"), ErrNotWorkbook},
		"no sheets": {workbook(t, map[string]string{"xl/workbook.xml": "<workbook/>"}), ErrNotWorkbook},
		"deep":      {workbook(t, map[string]string{"xl/styles.xml": strings.Repeat("<a>", 200)}), ErrNotWorkbook},
	} {
		if _, err := NewWorkbook(t.Context(), bytes.NewReader(test.data), int64(len(test.data))); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

func drain(rows table) {
	for range 10_000 {
		if _, err := rows.Next(); err != nil {
			return
		}
	}
}

func use(data []byte) {
	if w, err := NewWorkbook(context.Background(), bytes.NewReader(data), int64(len(data))); err == nil {
		drain(w)
	}
	if text, err := NewText(bytes.NewReader(data), Options{}); err == nil {
		drain(text)
	}
}

func seeds(t testing.TB) [][]byte {
	return [][]byte{workbook(t, nil), []byte("a,\"b\nc\",d\n1,\"2\"\"3\",4\r\n\"x,y\n")}
}

func TestDamagedFiles(t *testing.T) { recordstest.Mutate(t, *mutations, seeds(t), use) }

func FuzzTables(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		use(data)
		text, err := NewText(bytes.NewReader(data), Options{})
		if err != nil {
			return
		}
		for {
			r, err := text.Next()
			if err != nil {
				return
			}
			if !r.Failed() && len(r.Fields) > len(text.Columns()) {
				t.Errorf("got %d fields, want at most %d", len(r.Fields), len(text.Columns()))
			}
		}
	})
}
