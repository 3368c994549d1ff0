package extract_test

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/sheet"
)

// pieces are the parts of random values: what quotes, ends or begins something in CSV, SDF or a spreadsheet.
var pieces = []string{
	"a", "Z", "7", "0", "é", "水", " ", "  ", "\t", "\n", "\r\n", "\"", "\"\"", "'", ">", "<", "> <x>", ">  <a> (1)", "=", "=1+1", "+", "-", "@", ",", ";", "|",
	"#", "\\", "$", "$$$$", "M  END", ".", "1.50", "-5", "1e-400", "007", "NA", "true", "2024-05-31",
}

// randomValues returns a table of random values. Its first column numbers the rows, so that no row is empty.
func randomValues(random *rand.Rand, rows int, pieces []string) [][]string {
	var all [][]string
	for range rows {
		row := []string{"r"}
		for range 4 {
			var value strings.Builder
			for range random.IntN(7) {
				value.WriteString(pieces[random.IntN(len(pieces))])
			}
			row = append(row, value.String())
		}
		all = append(all, row)
	}
	return all
}

// valuesOf returns the values of columns of all records.
func valuesOf(t *testing.T, f *records.File, names []string) [][]string {
	t.Helper()
	var all [][]string
	for r, err := range f.All(t.Context(), nil) {
		if err != nil || r.Failed() {
			t.Fatalf("record %+v: %v", r, err)
		}
		var row []string
		for _, name := range names {
			row = append(row, r.Value(records.Column{Name: name}))
		}
		all = append(all, row)
	}
	return all
}

// kept checks that the values of an import are those that were written. Surrounding blanks may be lost.
func kept(t *testing.T, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d records, want %d", len(got), len(want))
	}
	for i, row := range got {
		for k, value := range row {
			if strings.TrimSpace(value) != strings.TrimSpace(want[i][k]) {
				t.Fatalf("record %d: got %q, want %q", i, value, want[i][k])
			}
		}
	}
}

const rounds = 15

// TestCSVRoundTrip checks that random values stay the same when they are imported, exported as CSV and imported again.
func TestCSVRoundTrip(t *testing.T) {
	names := []string{"id", "a", "b c", "=d", "e\"f"}
	read := func(text []byte) *records.File {
		t.Helper()
		rows, err := sheet.NewText(bytes.NewReader(text), sheet.Options{Header: "yes", Delimiter: ","})
		if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		o := objects{}
		stored, err := records.WriteChunks(t.Context(), rows.Next, func(chunk int, lines, columns []byte) error {
			o[records.LinesName(chunk)], o[records.ColumnsName(chunk)] = lines, columns
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return &records.File{Get: o.get, Total: stored.Found, Starts: stored.Starts, Columns: stored.Summary.Table()}
	}
	for seed := range uint64(rounds) {
		written := randomValues(rand.New(rand.NewPCG(seed, 38)), 50, pieces)
		text := records.FormulasUnchanged.AppendRow(nil, names)
		for _, row := range written {
			text = records.FormulasUnchanged.AppendRow(text, row)
		}
		first := read(text)
		values := valuesOf(t, first, names)
		kept(t, values, written)
		var exported bytes.Buffer
		if err := first.WriteCSV(t.Context(), &exported, records.Export{}); err != nil {
			t.Fatal(err)
		}
		if again := valuesOf(t, read(exported.Bytes()), names); !reflect.DeepEqual(again, values) {
			t.Fatalf("seed %d: got %q after an export, want %q", seed, again, values)
		}
	}
}

// TestSDFRoundTrip checks the same for SDF. Lines of values that would begin a data item or end the record are indented when they
// are written, and line breaks become line feeds, so the values are compared with those written only without such lines.
func TestSDFRoundTrip(t *testing.T) {
	plain := slices.DeleteFunc(slices.Clone(pieces), func(piece string) bool { return strings.ContainsAny(piece, "<$\r") })
	for seed := range uint64(rounds) {
		random := rand.New(rand.NewPCG(seed, 38))
		written := randomValues(random, 50, plain)
		kept(t, exportedSDF(t, written), written)
		exportedSDF(t, randomValues(random, 50, pieces))
	}
}

// exportedSDF returns the values of an SDF that was written with these values and imported, after it has checked that they stay
// the same when it is exported and imported again.
func exportedSDF(t *testing.T, written [][]string) [][]string {
	t.Helper()
	sdf, _ := extract.FindRecordFormat("sdf")
	names := []string{"id", "a", "b c", "=d", "e\"f"}
	var text bytes.Buffer
	out := bufio.NewWriter(&text)
	for _, row := range written {
		r, fields := records.Record{Name: "ethanol", Content: ethanol}, records.Fields{}
		for i, value := range row {
			if strings.TrimSpace(value) != "" {
				fields = append(fields, records.Field{Name: names[i], Value: value})
			}
		}
		if err := sdf.Write(out, &r, fields); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	first := process(t, sdf, bytes.NewReader(text.Bytes()), int64(text.Len()))
	values := valuesOf(t, first, names)
	var exported bytes.Buffer
	if err := first.WriteNative(t.Context(), &exported, records.Export{}, sdf.Write); err != nil {
		t.Fatal(err)
	}
	second := process(t, sdf, bytes.NewReader(exported.Bytes()), int64(exported.Len()))
	if again := valuesOf(t, second, names); !reflect.DeepEqual(again, values) {
		t.Fatalf("got %q after an export, want %q", again, values)
	}
	return values
}
