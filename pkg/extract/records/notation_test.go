package records

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// columnOf returns the column of values that a delimiter separates, with a decimal mark that is stated or empty, and the
// remarks. The values are merged from two chunks that went through JSON.
func columnOf(t *testing.T, delimiter, decimal string, values ...string) (Column, []string) {
	t.Helper()
	var all Summary
	for _, part := range [][]string{values[:len(values)/2], values[len(values)/2:]} {
		var s, stored Summary
		for _, v := range part {
			s.Add(&Record{Fields: Fields{{"f", v}}})
		}
		document, err := json.Marshal(&s)
		if err == nil {
			err = json.Unmarshal(document, &stored)
		}
		if err != nil {
			t.Fatal(err)
		}
		all.Merge(&stored)
	}
	columns, remarks := all.Describe(delimiter, decimal)
	return columns[0], remarks
}

// TestDecimalMarks checks which numbers of a column have a decimal comma, or commas between groups of digits, and what is said
// about it.
func TestDecimalMarks(t *testing.T) {
	comma, unread := "decimal mark of the numbers", "Values such as"
	for _, test := range []struct {
		delimiter, decimal string
		values             string
		want               Column
		remark             string
	}{
		{";", "", "1,5 2,25 3", Column{Type: Number, Numeric: 1, Min: 1.5, Max: 3.0, Decimal: ","}, comma},
		{"", "", "1,5E-3 -2 +0,25", Column{Type: Number, Numeric: 1, Min: -2.0, Max: 0.25, Decimal: ","}, comma},
		{"\t", "", "1,234 2,5 10", Column{Type: Number, Numeric: 1, Min: 1.234, Max: 10.0, Decimal: ","}, comma},
		{";", "", "1.234,56 1.000 7", Column{Type: Number, Numeric: 1, Min: 7.0, Max: 1234.56, Decimal: ","}, comma},
		{";", "", "1'234,5 12'345,75", Column{Type: Number, Numeric: 1, Min: 1234.5, Max: 12345.75, Decimal: ","}, comma},
		{";", "", "1,5 x 2", Column{Type: Text, Numeric: 2.0 / 3, Decimal: ","}, comma},
		{";", "", "1,5 2.5 3", Column{Type: Text, Numeric: 2.0 / 3}, unread},
		{";", "", "1,5 NA 3", Column{Type: Number, Numeric: 1, Min: 1.5, Max: 3.0, Decimal: ",", Missing: 1}, comma},
		{";", "", "01,5 007", Column{Type: Text}, ""},
		{";", ".", "1,5 2,25", Column{Type: Text}, ""},
		{";", ".", "1,234 5.5", Column{Type: Number, Numeric: 1, Min: 5.5, Max: 1234.0, Decimal: "."}, ""},
		{",", "", "1,234 5", Column{Type: Text, Numeric: 0.5}, unread},
		{",", "", "1,5 2", Column{Type: Text, Numeric: 0.5}, unread},
		{",", ",", "1,234 5", Column{Type: Number, Numeric: 1, Min: 1.234, Max: 5.0, Decimal: ","}, ""},
		{",", "", "1,234.5 6,000 7", Column{Type: Number, Numeric: 1, Min: 7.0, Max: 6000.0, Decimal: "."}, ""},
		{",", "", "1,234,567 12", Column{Type: Number, Numeric: 1, Min: 12.0, Max: 1234567.0, Decimal: "."}, ""},
		{",", "", "1,2,3 4,5,6", Column{Type: Text}, ""},
		{"", "", "1.5 2.125 3", Column{Type: Number, Numeric: 1, Min: 1.5, Max: 3.0}, ""},
		{";", ",", "1.500 2,5", Column{Type: Number, Numeric: 1, Min: 2.5, Max: 1500.0, Decimal: ","}, ""},
	} {
		values := strings.Fields(test.values)
		test.want.Name, test.want.Count = "f", len(values)
		got, remarks := columnOf(t, test.delimiter, test.decimal, values...)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s in %q, %q: got %+v, want %+v", test.values, test.delimiter, test.decimal, got, test.want)
		}
		if found := strings.Contains(strings.Join(remarks, " "), test.remark); !found || test.remark == "" && remarks != nil {
			t.Errorf("%s in %q, %q: got remarks %q, want %q", test.values, test.delimiter, test.decimal, remarks, test.remark)
		}
	}
}

// TestMissingValues checks that marks such as NA change neither the type nor the statistics of a column, and are mentioned
// only if the column has a type because of that.
func TestMissingValues(t *testing.T) {
	for _, test := range []struct {
		values string
		want   Column
	}{
		{"1 NA 2 N/A null -", Column{Type: Integer, Numeric: 1, Min: 1.0, Max: 2.0, Missing: 4}},
		{"2024-05-31 NaN", Column{Type: Date, Min: "2024-05-31", Max: "2024-05-31", Missing: 1}},
		{"true NULL", Column{Type: Boolean, Missing: 1}},
		{"NA DE FR", Column{Type: Text}},
		{"NA -", Column{Type: Text}},
	} {
		values := strings.Fields(test.values)
		test.want.Name, test.want.Count = "f", len(values)
		got, remarks := columnOf(t, ",", "", values...)
		if !reflect.DeepEqual(got, test.want) || (remarks != nil) != (got.Missing > 0) {
			t.Errorf("%s: got %+v and %q, want %+v", test.values, got, remarks, test.want)
		}
	}
}

// TestFiltersReadDecimalMarks checks that filters read the numbers of a column as its decimal mark says.
func TestFiltersReadDecimalMarks(t *testing.T) {
	columns := []Column{{Name: "comma", Decimal: ","}, {Name: "groups", Decimal: "."}, {Name: "plain"}}
	for _, test := range []struct {
		field, value, filter string
		want                 bool
	}{
		{"comma", "1,5", "comma < 2", true}, {"comma", "2,25", "comma < 2", false}, {"comma", "1,5", "comma = 1.5", true},
		{"comma", "1,5", "comma = 1,5", true}, {"comma", "1,50", "comma != 1.5", false}, {"comma", "1.234,5", "comma > 1234", true},
		{"comma", "NA", "comma < 2", false}, {"comma", "3", "comma > 2,5", true}, {"groups", "1,234.5", "groups > 1234", true},
		{"groups", "1,234", "groups = 1234", true}, {"plain", "1,5", "plain < 2", false}, {"plain", " 1.5 ", "plain < 2", true},
	} {
		f, err := ParseFilter(test.filter, columns)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.match(&Record{Fields: Fields{{test.field, test.value}}}); got != test.want {
			t.Errorf("%s: %s selects it: %t, want %t", test.value, test.filter, got, test.want)
		}
	}
}
