package records

import (
	"reflect"
	"testing"
)

// TestIncomplete checks that queries of a property state the number of records for which it could not be determined, and
// that a property which was determined for no record has no column.
func TestIncomplete(t *testing.T) {
	var first, total Summary
	for _, r := range []*Record{
		{Properties: Properties{{"formula", "CH4"}, {"smiles", "C"}}, NotDetermined: []string{"inchi"}},
		{Properties: Properties{{"formula", "H2O"}}, NotDetermined: []string{"smiles", "inchi"}},
		{Error: "damaged", NotDetermined: []string{"smiles"}},
	} {
		first.Add(r)
	}
	total.Merge(&first)
	total.Merge(&first)
	f := &File{Columns: total.Table()}
	if _, found := Find("inchi", f.Columns); found || len(f.Columns) != 2 {
		t.Errorf("got columns %+v, want formula and smiles", f.Columns)
	}
	filter, err := ParseFilter("smiles='C'", f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	formula, want := []Column{{Name: "formula", Property: true}}, map[string]int{"smiles": 2}
	for name, test := range map[string]struct {
		filter   *Filter
		selected []Column
		want     map[string]int
	}{
		"all columns":        {nil, nil, want},
		"other columns":      {nil, formula, nil},
		"filter on a column": {filter, formula, want},
	} {
		if got := f.Incomplete(test.filter, test.selected); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
