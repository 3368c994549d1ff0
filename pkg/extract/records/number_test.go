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
