package records

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"testing"
)

func summarize(values ...string) Column {
	var s Summary
	for _, v := range values {
		r := Record{}
		if v != "" {
			r.Fields.Set("f", v)
		}
		s.Add(&r)
	}
	return s.Table()[0]
}

func TestTypes(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   Column
	}{
		{[]string{"1", "-2", "+30"}, Column{Name: "f", Type: Integer, Count: 3, Numeric: 1, Min: -2.0, Max: 30.0}},
		{[]string{"1", "", "2.5e-1"}, Column{Name: "f", Type: Number, Count: 2, Empty: 1, Numeric: 1, Min: 0.25, Max: 1.0}},
		{[]string{"293(2)", "100.5(12)"}, Column{Name: "f", Type: Number, Count: 2, Numeric: 1, Min: 100.5, Max: 293.0}},
		{[]string{"12345678901234567890", "9007199254740993", "12345678901234567891"}, Column{
			Name: "f", Type: Integer, Count: 3, Numeric: 1, Min: json.Number("9007199254740993"), Max: json.Number("12345678901234567891"),
		}},
		{[]string{"(2)", "2(x)", "2(1", "2()"}, Column{Name: "f", Type: Text, Count: 4}},
		{[]string{"1", "2", "3", "n/a"}, Column{Name: "f", Type: Integer, Count: 4, Numeric: 1, Min: 1.0, Max: 3.0, Missing: 1}},
		{[]string{"007", "12"}, Column{Name: "f", Type: Text, Count: 2, Numeric: 0.5}},
		{[]string{"2024-05-31", "2023-01-01T10:00:00Z"}, Column{Name: "f", Type: Date, Count: 2, Min: "2023-01-01T10:00:00Z", Max: "2024-05-31"}},
		{[]string{"2024-02-30"}, Column{Name: "f", Type: Text, Count: 1}},
		{[]string{"true", "FALSE"}, Column{Name: "f", Type: Boolean, Count: 2}},
		{[]string{"0x10", "1_000", "inf", "NaN", "1e999", "-", "."}, Column{Name: "f", Type: Text, Count: 7}},
	} {
		if got := summarize(test.values...); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %+v, want %+v", test.values, got, test.want)
		}
	}
}

// Merging the summaries of parts in order yields the summary of all records.
func TestSummariesAddUp(t *testing.T) {
	all := molecules(500)
	all[450].Fields.Set("late", "2020-01-01")
	var one, merged Summary
	for from := 0; from < len(all); from += 100 {
		var part Summary
		for i := from; i < from+100; i++ {
			one.Add(&all[i])
			part.Add(&all[i])
		}
		merged.Merge(&part)
	}
	if !reflect.DeepEqual(one.Table(), merged.Table()) || one.Records != merged.Records || one.Failed != merged.Failed {
		t.Errorf("got merged columns %+v, want %+v", merged.Table(), one.Table())
	}
	if one.Failed != 50 || one.Records != 450 {
		t.Errorf("got %d records and %d failed, want 450 and 50", one.Records, one.Failed)
	}
}

func TestExcessFieldsAreCounted(t *testing.T) {
	r := Record{}
	for i := range MaxFields + 5 {
		r.Fields = append(r.Fields, Field{strconv.Itoa(i), "x"})
	}
	all := []Record{r, r}
	f, _ := store(t, all)
	s, err := f.Survey(t.Context(), func(Failure) error { return errors.New("got a failed record, want none") })
	if err != nil || len(f.Columns) != MaxFields || s.Omitted != 5 {
		t.Errorf("got %d columns, %d omitted, error %v, want %d and 5", len(f.Columns), s.Omitted, err, MaxFields)
	}
}
