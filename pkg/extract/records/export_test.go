package records

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	all := []Record{
		{Name: "a", Fields: Fields{{"logP", "+.5"}, {"comment", "x,\"y\"\nz"}}, Properties: Properties{{"weight", 18.015}}},
		{Error: "damaged"},
		{Fields: Fields{{"logP", "3"}, {"weight", "heavy"}}, Properties: Properties{{"weight", 2.5}}},
	}
	f, _ := store(t, all)
	var out bytes.Buffer
	if err := f.WriteCSV(t.Context(), &out, Export{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(rows), "[[record name weight (determined) logP comment weight] [1 a 18.015 +.5 x,\"y\"\nz ] [3  2.5 3  heavy]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	columns, err := Select([]string{"logP", "comment"}, map[string]string{"logP": "A log P"}, f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := f.WriteJSONL(t.Context(), &out, Export{Columns: columns}); err != nil {
		t.Fatal(err)
	}
	want := `{"index":0,"name":"a","values":{"A log P":0.5,"comment":"x,\"y\"\nz"}}` + "\n" + `{"index":2,"values":{"A log P":3}}` + "\n"
	if out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
	filter, err := ParseFilter("logP>=3", f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	err = f.WriteNative(t.Context(), &out, Export{Columns: columns, Filter: filter}, func(w *bufio.Writer, r *Record, fields Fields) error {
		_, err := fmt.Fprintln(w, r.Index, fields)
		return err
	})
	if want := "2 [{A log P 3}]\n"; err != nil || out.String() != want {
		t.Errorf("got %s, error %v, want %s", out.String(), err, want)
	}
}

// TestExportsOfExports checks that a file that was exported and imported again can be exported any number of times: the names
// stay distinct, and from the second export on they stay the same.
func TestExportsOfExports(t *testing.T) {
	property, fields := Column{Name: "formula", Property: true}, []Column{{Name: "A"}}
	for round, want := range []string{"formula,A", "formula (determined),formula,A", "formula (determined),formula,A", "formula (determined),formula,A"} {
		selected, err := Select(nil, nil, append([]Column{property}, fields...))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		var names []string
		fields = nil
		for _, c := range selected {
			names, fields = append(names, c.As), append(fields, Column{Name: c.As})
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
	}
}

// TestColumnsOfExports checks that a file that has the columns of an export is exported with the same columns, and that line
// breaks in cells stay as they are.
func TestColumnsOfExports(t *testing.T) {
	f, _ := store(t, []Record{{Fields: Fields{{"record", "7"}, {"name", "Al"}, {"index", "one\ntwo\r\nthree, \"four\""}}}})
	var out bytes.Buffer
	if err := f.WriteCSV(t.Context(), &out, Export{}); err != nil {
		t.Fatal(err)
	}
	if want := "record,name,index\r\n7,Al,\"one\ntwo\r\nthree, \"\"four\"\"\"\r\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestFormulasInExports checks that values and names stay as they are, unless spreadsheets are to read them as text.
func TestFormulasInExports(t *testing.T) {
	f, _ := store(t, []Record{{Name: "=a", Fields: Fields{{"@b", "=1+1"}, {"c", "+49 30 123"}, {"d", "-5"}}}})
	for formulas, want := range map[Formulas]string{
		FormulasUnchanged: "record,name,@b,c,d\r\n1,=a,=1+1,+49 30 123,-5\r\n",
		FormulasText:      "record,name,'@b,c,d\r\n1,'=a,'=1+1,'+49 30 123,-5\r\n",
	} {
		var out bytes.Buffer
		if err := f.WriteCSV(t.Context(), &out, Export{Formulas: formulas}); err != nil || out.String() != want {
			t.Errorf("formulas %q: got %q, error %v, want %q", formulas, out.String(), err, want)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	columns := []Column{{Name: "a"}, {Name: "b"}}
	for _, test := range []struct {
		names  []string
		rename map[string]string
		want   string
	}{
		{[]string{"c"}, nil, `no field "c"`},
		{[]string{"a", "b"}, map[string]string{"a": "b"}, `two fields are named "b"`},
		{[]string{"a"}, map[string]string{"b": "x"}, `"b" is renamed but not selected`},
		{nil, map[string]string{"a": ""}, `"a" has no name`},
	} {
		if _, err := Select(test.names, test.rename, columns); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got error %v, want %s", test, err, test.want)
		}
	}
}

func TestJSONNumbersAreValid(t *testing.T) {
	for _, s := range []string{"1", "-1.5", "+1", ".5", "5.", "1.e5", "-.5", "1e5", "1E+5", "1e-05", "0", "-0", "123456789012345678901234567890"} {
		if b := appendTyped(nil, s, Column{Type: Number}); !json.Valid(b) {
			t.Errorf("%q: got %s, want valid JSON", s, b)
		}
	}
}

// TestTypedValues checks the JSON of values: numbers in plain notation, and text where a number would lose something.
func TestTypedValues(t *testing.T) {
	for _, test := range []struct {
		column      Column
		value, want string
	}{
		{Column{Type: Number, Decimal: ","}, "1.234,50", "1234.50"}, {Column{Type: Number, Decimal: ","}, "3", "3"},
		{Column{Type: Number}, "NA", `"NA"`}, {Column{Type: Number}, "293(2)", `"293(2)"`}, {Column{Type: Number}, " +.5 ", "0.5"},
		{Column{Type: Boolean}, " TRUE ", "true"}, {Column{Type: Text}, "1,5", `"1,5"`},
	} {
		if got := string(appendTyped(nil, test.value, test.column)); got != test.want {
			t.Errorf("%q of %+v: got %s, want %s", test.value, test.column, got, test.want)
		}
	}
}
