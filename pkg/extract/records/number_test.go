package records

import (
	"reflect"
	"testing"
)

// TestNumbersBeyondFloat64 checks that numbers that a float64 cannot represent, or rounds, are compared exactly, and that those
// that it cannot represent have no statistics.
func TestNumbersBeyondFloat64(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   Column
	}{
		{[]string{"1e-180", "3e-12", "2.2e-308"}, Column{Name: "f", Type: Number, Count: 3, Numeric: 1, Min: 2.2e-308, Max: 3e-12}},
		{[]string{"1e-400", "1"}, Column{Name: "f", Type: Text, Count: 2, Numeric: 0.5}},
		{[]string{"-1e309", "1", "0e5"}, Column{Name: "f", Type: Text, Count: 3, Numeric: 2.0 / 3}},
	} {
		if got := summarize(test.values...); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %+v, want %+v", test.values, got, test.want)
		}
	}
	columns := []Column{{Name: "f"}}
	for _, test := range []struct {
		value, filter string
		want          bool
	}{
		{"1e-400", "f < 1e-308", true}, {"1e-400", "f > 0", true}, {"-1e-400", "f < 0", true}, {"1e-400", "f = 0", false},
		{"1e-400", "f = 10e-401", true}, {"1e309", "f > 1e308", true}, {"1e310", "f > 1e309", true}, {"-1e309", "f < -1e308", true},
		{"12345678901234567890", "f = 12345678901234567891", false}, {"12345678901234567890", "f < 12345678901234567891", true},
		{"12345678901234567890", "f = 12345678901234567890.0", true}, {"9007199254740993", "f != 9007199254740992", true},
		{"0.1", "f = 1e-1", true}, {"5.", "f = 5", true},
	} {
		f, err := ParseFilter(test.filter, columns)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.match(&Record{Fields: Fields{{"f", test.value}}}); got != test.want {
			t.Errorf("%s: %s selects it: %t, want %t", test.value, test.filter, got, test.want)
		}
	}
}

// TestNumber checks that values are read as numbers in the notation of their column, and that others are distinguished from
// missing ones.
func TestNumber(t *testing.T) {
	for _, test := range []struct {
		column      Column
		value       string
		want        float64
		missing, ok bool
	}{
		{Column{Type: Number}, " 1.5 ", 1.5, false, true},
		{Column{Type: Number, Decimal: ","}, "1.234,5", 1234.5, false, true},
		{Column{Type: Number, Decimal: "."}, "1,234", 1234, false, true},
		{Column{Type: Number}, "293(2)", 293, false, true},
		{Column{Type: Number}, "<5", 0, false, false},
		{Column{Type: Number}, "1e400", 0, false, false},
		{Column{Type: Integer}, "NA", 0, true, false},
		{Column{Type: Integer}, "", 0, true, false},
		{Column{Type: Boolean}, "TRUE", 1, false, true},
		{Column{Type: Boolean}, "false", 0, false, true},
		{Column{Type: Boolean}, "maybe", 0, false, false},
	} {
		n, missing, ok := test.column.Number(test.value)
		if missing != test.missing || ok != test.ok || ok && n != test.want {
			t.Errorf("%q as %+v: got %g, missing = %t, ok = %t, want %g, %t, %t", test.value, test.column, n, missing, ok, test.want, test.missing, test.ok)
		}
	}
}
