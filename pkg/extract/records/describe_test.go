package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// described returns the statistics of the column x.
func described(t *testing.T, cells ...string) Statistics {
	t.Helper()
	f, _ := store(t, rows(cells...))
	all, err := f.Select(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Describe(t.Context(), all, f.Columns, nil)
	if err != nil || len(d.Columns) != 1 || d.Records != len(cells) {
		t.Fatalf("got %+v, %v, want one column of %d records", d, err, len(cells))
	}
	return d.Columns[0]
}

// near reports whether a number is within a relative error of 1e-15 of another.
func near(x *float64, y float64) bool { return x != nil && math.Abs(*x-y) <= 1e-15*math.Abs(y) }

// TestStatistics checks the values of the certified data sets NumAcc1 to NumAcc3 of the NIST Statistical Reference Datasets
// (https://www.itl.nist.gov/div898/strd/univ/homepage.html), whose mean and standard deviation lose digits in one-pass
// formulas.
func TestStatistics(t *testing.T) {
	acc := func(base, low, high string) []string {
		cells := []string{base}
		for range 500 {
			cells = append(cells, low, high)
		}
		return cells
	}
	for name, c := range map[string]struct {
		cells           []string
		mean, deviation float64
	}{
		"NumAcc1": {[]string{"10000001", "10000003", "10000002"}, 10000002, 1},
		"NumAcc2": {acc("1.2", "1.1", "1.3"), 1.2, 0.1},
		"NumAcc3": {acc("1000000.2", "1000000.1", "1000000.3"), 1000000.2, 0.1},
	} {
		s := described(t, c.cells...)
		if !near(s.Mean, c.mean) || s.StandardDeviation == nil || math.Abs(*s.StandardDeviation-c.deviation) > 1e-9 {
			t.Errorf("%s: got mean %v and standard deviation %v, want %g and %g", name, *s.Mean, *s.StandardDeviation, c.mean, c.deviation)
		}
	}
}

// TestColumnsAreDescribed: the statistics depend on the type of the column.
func TestColumnsAreDescribed(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"integers": {[]string{"3", "1", "", "2", "3.0", "5"}, `{"name":"x","type":"number","count":5,"missing":1,"numbers":5,"distinct":4,"min":1,"max":5,"mean":2.8,"standardDeviation":1.4832396974191326,"histogram":{"from":1,"to":6,"counts":[1,1,2,0,1]}}`},
		"numbers":  {[]string{"0", "0.5", "1", "2"}, `{"name":"x","type":"number","count":4,"missing":0,"numbers":4,"distinct":4,"min":0,"max":2,"mean":0.875,"standardDeviation":0.8539125638299665,"histogram":{"from":0,"to":2,"counts":[1,1,1,1]}}`},
		"digits":   {[]string{"12345678901234567891", "12345678901234567890", "12345678901234567890"}, `{"name":"x","type":"integer","count":3,"missing":0,"numbers":3,"distinct":2,"min":12345678901234567890,"max":12345678901234567891,"mean":12345678901234567000,"standardDeviation":0,"histogram":{"from":12345678901234567000,"to":12345678901234567000,"counts":[3]}}`},
		"extremes": {[]string{"1e308", "-1e308", "1e308"}, `{"name":"x","type":"number","count":3,"missing":0,"numbers":3,"distinct":2,"min":-1e+308,"max":1e+308,"mean":3.333333333333333e+307}`},
		"mostly":   {[]string{"1", "2", "unknown"}, `{"name":"x","type":"text","count":3,"missing":0,"numbers":2,"distinct":3,"min":1,"max":2,"mean":1.5,"standardDeviation":0.7071067811865476,"histogram":{"from":1,"to":3,"counts":[1,1]}}`},
		"missing":  {[]string{"1", "2", "n/a"}, `{"name":"x","type":"integer","count":2,"missing":1,"numbers":2,"distinct":2,"min":1,"max":2,"mean":1.5,"standardDeviation":0.7071067811865476,"histogram":{"from":1,"to":3,"counts":[1,1]}}`},
		"one":      {[]string{"7.5"}, `{"name":"x","type":"number","count":1,"missing":0,"numbers":1,"distinct":1,"min":7.5,"max":7.5,"mean":7.5,"histogram":{"from":7.5,"to":7.5,"counts":[1]}}`},
		"dates":    {[]string{"2024-01-01", "2024-01-03T00:00:00Z", "2024-01-02T23:00:00-01:00"}, `{"name":"x","type":"date","count":3,"missing":0,"distinct":2,"min":"2024-01-01","max":"2024-01-03T00:00:00Z","histogram":{"from":"2024-01-01T00:00:00Z","to":"2024-01-03T00:00:00Z","counts":[1,0,2]}}`},
		"booleans": {[]string{"true", "FALSE", "True"}, `{"name":"x","type":"boolean","count":3,"missing":0,"distinct":2,"values":[{"value":"true","count":2},{"value":"FALSE","count":1}]}`},
		"texts":    {[]string{"b", "a", "b", "", "B"}, `{"name":"x","type":"text","count":4,"missing":1,"distinct":3,"values":[{"value":"b","count":2},{"value":"B","count":1},{"value":"a","count":1}]}`},
	} {
		got, err := json.Marshal(described(t, c.cells...))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, c.want)
		}
	}
}

// TestGroups: groups have the statistics of their records, large groups are first, and groups beyond the limit are counted.
func TestGroups(t *testing.T) {
	all := make([]Record, MaxChunk+500)
	for i := range all {
		all[i].Fields = Fields{{"x", fmt.Sprint(i)}}
		switch {
		case i < 5:
		case i < 10:
			all[i].Error = "damaged"
		case i < 10+MaxGroups:
			all[i].Fields.Set("g", fmt.Sprintf("g%d", i))
		default:
			all[i].Fields.Set("g", []string{"odd", "even"}[i%2])
		}
	}
	f, _ := store(t, all)
	indexes, err := f.Select(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := Find("g", f.Columns)
	x, _ := Find("x", f.Columns)
	d, err := f.Describe(t.Context(), indexes, []Column{x}, &g)
	if err != nil || d.Records != len(all)-5 || len(d.Groups) != MaxGroups || d.OtherGroups != 3 || d.OtherRecords != 7 {
		t.Fatalf("got %d records, %d groups, %d others with %d records, %v", d.Records, len(d.Groups), d.OtherGroups, d.OtherRecords, err)
	}
	first := d.Groups[0].Columns[0]
	if d.Groups[0].Value != "even" || d.Groups[0].Records != 12695 || first.Count != 12695 || first.Min != 111.0 || !near(first.Mean, 12805) || first.Histogram != nil {
		t.Errorf("got %+v, want the statistics of the 12695 odd numbers from 111", d.Groups[0])
	}
	if d.Columns[0].Count != len(all)-5 || d.Columns[0].Distinct != len(all)-5 {
		t.Errorf("got %+v, want the statistics of all processed records", d.Columns[0])
	}
}

// TestManyDistinctValues: beyond the limit, distinct values are not counted, and records cannot be grouped by them.
func TestManyDistinctValues(t *testing.T) {
	all := make([]Record, MaxDistinct+1)
	for i := range all {
		all[i].Fields = Fields{{"x", fmt.Sprintf("text %d", i)}}
	}
	f, _ := store(t, all)
	indexes := make([]int, len(all))
	for i := range indexes {
		indexes[i] = i
	}
	d, err := f.Describe(t.Context(), indexes, f.Columns, nil)
	if s := d.Columns[0]; err != nil || s.Distinct != 0 || len(s.Values) > 0 || s.Count != len(all) {
		t.Errorf("got %+v, %v, want no distinct values", s, err)
	}
	if _, err := f.Describe(t.Context(), indexes, nil, &f.Columns[0]); !errors.Is(err, ErrGroups) {
		t.Errorf("got %v, want ErrGroups", err)
	}
	if d, err := f.Describe(t.Context(), indexes[1:], nil, &f.Columns[0]); err != nil || len(d.Groups) != MaxGroups || d.OtherRecords != MaxDistinct-MaxGroups {
		t.Errorf("got %d groups and %d other records, %v", len(d.Groups), d.OtherRecords, err)
	}
	if !slices.IsSorted(f.Starts) {
		t.Errorf("the chunks begin at %v", f.Starts)
	}
}
