package records

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rows returns records with the given cells in the column x.
func rows(cells ...string) []Record {
	all := make([]Record, len(cells))
	for i, cell := range cells {
		all[i].Fields = Fields{}
		if cell != "" {
			all[i].Fields.Set("x", cell)
		}
	}
	return all
}

// sorted returns the cells of the column x in an order.
func sorted(t testing.TB, f *File, filter *Filter, names ...string) []string {
	t.Helper()
	order, err := ParseSort(names, f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	indexes, err := f.Select(t.Context(), filter, order)
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Read(t.Context(), indexes, Query{})
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for i := range found {
		cells = append(cells, found[i].Value(Column{Name: "x"}))
	}
	return cells
}

// TestSort: values are sorted by the type of their column. Numbers are compared with all digits, dates as instants, and texts
// without case; records without a value are last in both directions, and equal values keep their order.
func TestSort(t *testing.T) {
	for _, want := range [][]string{
		{"-1e309", "-2", "-1e-400", "0", "1e-180", "9", "10", "12345678901234567889", "12345678901234567890", "1e309", ""},
		{"9007199254740993", "9007199254740994", "10000000000000000000000"},
		{"2024-05-31T12:00:00+02:00", "2024-05-31T10:00:01Z", "2024-05-31 10:00:02", "2024-06-01", ""},
		{"false", "TRUE", ""},
		{" false ", "TRUE ", ""},
		{"alpha", "Beta", "beta", "Straße", "zinc oxide", "zinc oxide, grey", "Äpfel", ""},
		{"2", "10", "300", "unknown", ""},
		{"0,5", "1,25", "3", "20,1", ""},
		{"0.5", "1.5", "20", "NA"},
		{"007", "10", "9", "abc", "abd"},
	} {
		shuffled := slices.Clone(want)
		slices.Reverse(shuffled)
		shuffled = append(shuffled[len(shuffled)/2:], shuffled[:len(shuffled)/2]...)
		f, _ := store(t, rows(shuffled...))
		if got := sorted(t, f, nil, "x"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		backwards := slices.DeleteFunc(slices.Clone(want), Missing)
		slices.Reverse(backwards)
		if got := sorted(t, f, nil, "-x"); !slices.Equal(got[:len(backwards)], backwards) {
			t.Errorf("descending: got %q, want %q", got, backwards)
		}
	}
	f, _ := store(t, rows("1.0", "2", "1", "1.00"))
	for name, want := range map[string][]string{"x": {"1.0", "1", "1.00", "2"}, "-x": {"2", "1.0", "1", "1.00"}} {
		if got := sorted(t, f, nil, name); !slices.Equal(got, want) {
			t.Errorf("equal values by %s: got %q, want %q", name, got, want)
		}
	}
	if _, err := ParseSort([]string{"-y"}, f.Columns); err == nil || err.Error() != `there is no field "y"; did you mean "x"?` {
		t.Errorf("got %v, want the unknown field y", err)
	}
}

// TestSortBySeveral: later criteria decide between equal values of earlier ones, across chunks, and with a filter.
func TestSortBySeveral(t *testing.T) {
	all := make([]Record, 2*MaxChunk+10)
	for i := range all {
		all[i].Fields = Fields{{"g", fmt.Sprint(i * 7 % 5)}, {"x", fmt.Sprint(i * 13 % 101)}}
	}
	f, _ := store(t, all)
	if f.layout().chunks() != 3 {
		t.Fatalf("got %d chunks, want 3", f.layout().chunks())
	}
	filter, err := ParseFilter("x >= 50", f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	order, err := ParseSort([]string{"-g", "x"}, f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Select(t.Context(), filter, order)
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for i := range all {
		if i*13%101 >= 50 {
			want = append(want, i)
		}
	}
	slices.SortStableFunc(want, func(a, b int) int { return (b*7%5-a*7%5)*1000 + a*13%101 - b*13%101 })
	if !slices.Equal(got, want) {
		t.Errorf("got %v…, want %v…", got[:20], want[:20])
	}
}

// TestValuesAreOrdered: the keys of values have the order of the values, and the numbers of keys are the numbers.
func TestValuesAreOrdered(t *testing.T) {
	numbers, texts := Column{Type: Number}, Column{Type: Text}
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64().Draw(t, "x"), rapid.Float64().Draw(t, "y")
		if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) {
			return
		}
		v, w := numbers.value(fmt.Sprint(x)), numbers.value(fmt.Sprint(y))
		if numberOf(v.key) != x || v.text != "" || (v.compare(w) < 0) != (x < y) || (v.key < w.key) != (x < y) || (v == w) != (x == y) {
			t.Errorf("%g and %g have the values %v and %v", x, y, v, w)
		}
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if a, b = "."+a, "."+b; strings.ToLower(a) < strings.ToLower(b) && texts.value(a).compare(texts.value(b)) >= 0 {
			t.Errorf("%q does not precede %q", a, b)
		}
	})
}
