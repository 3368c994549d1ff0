package dataset

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
)

// file contains records and their columns.
type file struct {
	records      []records.Record
	fingerprints []*fingerprint.Fingerprint
}

func (f *file) source() Source {
	s := Source{Records: func(context.Context) iter.Seq2[*records.Record, error] {
		return func(yield func(*records.Record, error) bool) {
			for i := range f.records {
				if !yield(&f.records[i], nil) {
					return
				}
			}
		}
	}}
	if f.fingerprints != nil {
		s.Fingerprint = func(_ context.Context, index int) (*fingerprint.Fingerprint, error) {
			return f.fingerprints[index], nil
		}
	}
	return s
}

func (f *file) columns() []records.Column {
	var s records.Summary
	for i := range f.records {
		s.Add(&f.records[i])
	}
	return s.Table()
}

func (f *file) build(t testing.TB, target string, limits Limits) (*Set, error) {
	t.Helper()
	p, err := NewPlan(f.columns(), target)
	if err != nil {
		return nil, err
	}
	return Build(t.Context(), p, f.source(), limits)
}

// rows returns n records with the fields of row.
func rows(n int, row func(i int) []records.Field) *file {
	f := &file{}
	for i := range n {
		f.records = append(f.records, records.Record{Index: i, Fields: row(i)})
	}
	return f
}

// measured returns n records with columns that should be left out, and the features x, rings and active.
func measured(n int) *file {
	random := rand.New(rand.NewPCG(1, 2))
	return rows(n, func(i int) []records.Field {
		x, y := random.NormFloat64(), random.NormFloat64()
		text := func(v float64) string { return fmt.Sprintf("%.6f", v) }
		gaps := ""
		if i%3 == 0 {
			gaps = text(y)
		}
		some := text(x)
		if i%10 == 3 {
			some = "NA"
		}
		return []records.Field{
			{Name: "Nr", Value: fmt.Sprint(1000 - i)}, {Name: "key", Value: fmt.Sprint(i + 5)}, {Name: "compound_id", Value: fmt.Sprint(random.IntN(1 << 40))},
			{Name: "CAS", Value: fmt.Sprintf("%d-00-0", i)}, {Name: "name", Value: fmt.Sprintf("m%d", i)}, {Name: "measured", Value: fmt.Sprintf("2024-01-%02d", i%28+1)},
			{Name: "unit", Value: "1"}, {Name: "gaps", Value: gaps}, {Name: "x", Value: some}, {Name: "x again", Value: some},
			{Name: "rings", Value: fmt.Sprint(random.IntN(5))}, {Name: "active", Value: fmt.Sprint(i%2 == 0)},
			{Name: "log", Value: text(y)}, {Name: "copy", Value: text(-2*y + 1)}, {Name: "exponential", Value: fmt.Sprintf("%.9g", math.Exp(y))},
		}
	})
}

// TestColumnsAreExcluded checks which columns are features, and why the others are not.
func TestColumnsAreExcluded(t *testing.T) {
	f := measured(200)
	f.records[7].Error, f.records[7].Fields = "broken", nil
	f.records[8].Fields[12].Value = ""
	set, err := f.build(t, "LOG", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Excluded{
		{Name: "CAS", Reason: Identifier}, {Name: "name", Reason: Text}, {Name: "measured", Reason: Date},
		{Name: "Nr", Reason: Identifier}, {Name: "key", Reason: Identifier}, {Name: "compound_id", Reason: Identifier}, {Name: "unit", Reason: Constant},
		{Name: "gaps", Reason: Gaps}, {Name: "x again", Reason: Duplicate, Other: "x"}, {Name: "copy", Reason: Leakage}, {Name: "exponential", Reason: Leakage},
	}
	if !reflect.DeepEqual(set.Report.Columns, want) {
		t.Errorf("got columns %+v, want %+v", set.Report.Columns, want)
	}
	if got := set.Features.Names(); !slices.Equal(got, []string{"x", "rings", "active"}) {
		t.Errorf("got features %q, want x, rings, active", got)
	}
	if want := map[Reason]int{Failed: 1, NoValue: 1}; !reflect.DeepEqual(set.Report.Excluded, want) || set.Report.Rows != 198 || set.Report.Groups != 183 {
		t.Errorf("got %+v, want 198 rows in 183 groups, because some without x equal others, and %v", set.Report, want)
	}
	if set.Report.Replaced != set.Features.Columns[0].Replaced || set.Report.Replaced != 20 || set.Target.Task != learn.Regression {
		t.Errorf("got %d values replaced, task %s, want 20, regression", set.Report.Replaced, set.Target.Task)
	}
	for i, index := range set.Records {
		row, _ := set.Features.Row(nil, &f.records[index], nil)
		if !slices.Equal(row, set.Data.X.Row(i)) {
			t.Fatalf("record %d: got %v, want the row %v", index, row, set.Data.X.Row(i))
		}
	}
}

func TestMoleculeKey(t *testing.T) {
	if moleculeKey != structure.InChIKey {
		t.Errorf("got %q, want %q", moleculeKey, structure.InChIKey)
	}
}

// TestMeasuredIntegersAreFeatures checks that a column of different integers that do not count the records is a feature.
func TestMeasuredIntegersAreFeatures(t *testing.T) {
	f := rows(60, func(i int) []records.Field {
		temperature := 20 + i*7%60
		return []records.Field{{Name: "temperature", Value: fmt.Sprint(temperature)}, {Name: "y", Value: fmt.Sprintf("%.3f", math.Sin(float64(temperature)))}}
	})
	set, err := f.build(t, "y", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Features.Names(); !slices.Equal(got, []string{"temperature"}) || len(set.Report.Remarks) != 1 {
		t.Errorf("got features %q and remarks %q, want temperature and a remark", got, set.Report.Remarks)
	}
}

// TestTargets checks which columns can be predicted, and which of two values is the positive one.
func TestTargets(t *testing.T) {
	for _, test := range []struct {
		values  string // repeated
		classes string // "" for a regression
		problem string
		rows    int
	}{
		{"1.5 2 3", "", "", 60},
		{"0 1", "0 1", "", 60},
		{"2 1", "1 2", "", 60},
		{"0.5 1e3", "0.5 1000", "", 60},
		{"true false", "false true", "", 60},
		{"Yes no yes", "no Yes", "", 60},
		{"active inactive", "inactive active", "", 60},
		{"non-toxic toxic", "non-toxic toxic", "", 60},
		{"red blue", "blue red", "", 60},
		{"red NA blue", "blue red", "", 40},
		{"+ -", "- +", "", 60},
		{"1 2 3 <5", "", "", 45},
		{"1 2 3 1e300", "", "", 45},
		{"1 0 NA", "0 1", "", 40},
		{"a b c", "", "texts, more than two", 0},
		{"2024-01-01 2024-01-02", "", "dates", 0},
		{"3", "", "the same", 0},
		{"red", "", "the same", 0},
		{"NA", "", "no values", 0},
		{"1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", "", "have the value 1", 0},
	} {
		values := strings.Fields(test.values)
		f := rows(60, func(i int) []records.Field {
			return []records.Field{{Name: "target", Value: values[i%len(values)]}, {Name: "x", Value: fmt.Sprint(i*i%37 + 1)}}
		})
		set, err := f.build(t, "target", Limits{})
		if test.problem != "" {
			var target *TargetError
			if !errors.As(err, &target) || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%s: got error %v, want %s", test.values, err, test.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: got error %v, want none", test.values, err)
			continue
		}
		if got := strings.Join(set.Target.Classes, " "); got != test.classes || set.Report.Rows != test.rows || (set.Target.Task == learn.Regression) != (test.classes == "") {
			t.Errorf("%s: got %s of %q, %d rows, want %q, %d", test.values, set.Target.Task, got, set.Report.Rows, test.classes, test.rows)
		}
		for i, index := range set.Records {
			value := values[index%len(values)]
			if positive := test.classes != "" && strings.EqualFold(value, set.Target.Classes[1]); test.classes != "" && value != "1e3" && positive != (set.Data.Y[i] == 1) {
				t.Fatalf("%s: record %d with %s: got %g", test.values, index, value, set.Data.Y[i])
			}
		}
	}
}

// TestUnknownTargets checks that an error names the columns that may be predicted.
func TestUnknownTargets(t *testing.T) {
	f := measured(50)
	for _, name := range []string{"nothing", "error", "measured", "CAS"} {
		_, err := f.build(t, name, Limits{})
		var target *TargetError
		if !errors.As(err, &target) || target.Column != name || !slices.Contains(target.Candidates, "log") || slices.Contains(target.Candidates, "Nr") {
			t.Errorf("%s: got error %v, want one that names log and not Nr", name, err)
		}
	}
	few := measured(19)
	if _, err := few.build(t, "log", Limits{}); err == nil || !strings.Contains(err.Error(), "at least 20") {
		t.Errorf("19 records: got error %v, want one", err)
	}
}

// TestFewCombinations checks that rows are groups of their own if there are few different rows.
func TestFewCombinations(t *testing.T) {
	f := rows(60, func(i int) []records.Field {
		return []records.Field{{Name: "x", Value: fmt.Sprint(i % 5)}, {Name: "y", Value: fmt.Sprint(i * i)}}
	})
	set, err := f.build(t, "y", Limits{})
	if err != nil || set.Report.Groups != 60 {
		t.Errorf("got %+v, error %v, want 60 groups", set, err)
	}
}

// molecules returns n records of molecules, every 10th of which has no fingerprint, and each of which occurs twice.
func molecules(n int) *file {
	f, random := &file{}, rand.New(rand.NewPCG(3, 4))
	for i := range n {
		y := random.NormFloat64()
		r := records.Record{Index: i, Fields: records.Fields{{Name: "y", Value: fmt.Sprint(y)}}}
		r.Properties = records.Properties{{Name: "weight", Value: random.Float64()}, {Name: structure.InChIKey, Value: fmt.Sprintf("KEY%d", i/2)}}
		fp := &fingerprint.Fingerprint{}
		for bit := range 100 {
			if random.IntN(100) < bit {
				fp.Set(20 * bit)
			}
		}
		if i%10 == 9 {
			fp = nil
		}
		f.records, f.fingerprints = append(f.records, r), append(f.fingerprints, fp)
	}
	return f
}

// TestMolecules checks that bits are features, and that the records of a molecule are a group.
func TestMolecules(t *testing.T) {
	f := molecules(400)
	set, err := f.build(t, "y", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Report.Rows != 360 || set.Report.Excluded[NoFingerprint] != 40 || set.Report.Groups != 200 || len(set.Fingerprints) != 360 {
		t.Errorf("got %+v, want 360 rows of 200 molecules, and 40 without a fingerprint", set.Report)
	}
	if n := len(set.Features.Bits); n < 95 || n > 99 || set.Features.Len() != set.Data.X.Columns || !slices.IsSorted(set.Features.Bits) {
		t.Errorf("got %d bits, want 95 to 99", n)
	}
	if g := set.Data.Groups; g[0] != g[1] || g[1] == g[2] {
		t.Errorf("got groups %v, want pairs", g[:4])
	}
	if !slices.ContainsFunc(set.Report.Remarks, func(s string) bool { return strings.Contains(s, "different values of y") }) {
		t.Errorf("got remarks %q, want one about molecules with different values", set.Report.Remarks)
	}
	for i, index := range set.Records {
		row, missing := set.Features.Row(nil, &f.records[index], f.fingerprints[index])
		if !slices.Equal(row, set.Data.X.Row(i)) || missing != 0 {
			t.Fatalf("record %d: got %v, %d missing, want the row %v", index, row, missing, set.Data.X.Row(i))
		}
	}
	row, missing := set.Features.Row(nil, &records.Record{}, nil)
	if missing != 2 || row[0] != set.Features.Columns[0].Median || slices.Max(row[1:]) != 0 {
		t.Errorf("an empty record: got %v, %d missing, want the median and no bits, 2", row, missing)
	}
	for i := range f.fingerprints {
		if i%3 != 0 {
			f.fingerprints[i] = nil
		}
	}
	if set, err = f.build(t, "y", Limits{}); err != nil || len(set.Features.Bits) > 0 || set.Report.Rows != 400 || set.Fingerprints != nil {
		t.Errorf("few fingerprints: got %d bits, error %v, want none and all rows", len(set.Features.Bits), err)
	}
}

// TestMostFrequentBits checks which bits are features if there are too many.
func TestMostFrequentBits(t *testing.T) {
	counts := make([]int, fingerprint.Bits)
	for bit := range counts {
		counts[bit] = 10
	}
	counts[0], counts[1], counts[2], counts[2000] = 0, 1000, 995, 500
	bits := frequent(counts, 1000)
	if len(bits) != maxBits || bits[0] != 3 || bits[maxBits-1] != 2000 || bits[maxBits-2] != maxBits+1 {
		t.Errorf("got %d bits from %d to %d, want 1,024 from 3 to 1025, and 2000", len(bits), bits[0], bits[len(bits)-1])
	}
}

// TestSamples checks that the rows are within the limits, and the same for the same seed.
func TestSamples(t *testing.T) {
	f := measured(500)
	build := func(l Limits) *Set {
		set, err := f.build(t, "log", l)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	a, again, b := build(Limits{Rows: 100, Seed: 1}), build(Limits{Rows: 100, Seed: 1}), build(Limits{Rows: 100, Seed: 2})
	if !reflect.DeepEqual(a, again) || slices.Equal(a.Records, b.Records) || a.Report.Rows != 100 || a.Report.Excluded[NotSampled] != 400 || !slices.IsSorted(a.Records) {
		t.Errorf("got %+v, then %+v, and with another seed %+v", a.Report, again.Report, b.Report)
	}
	if c := build(Limits{Values: 700}); c.Report.Rows > 140 || len(c.Report.Remarks) == 0 {
		t.Errorf("got %d rows, remarks %q, want at most 140, and a remark", c.Report.Rows, c.Report.Remarks)
	}
}

// TestPerfectSeparation checks that a column that separates two values is a feature with a remark.
func TestPerfectSeparation(t *testing.T) {
	f := rows(60, func(i int) []records.Field {
		return []records.Field{{Name: "x", Value: fmt.Sprint(i * i)}, {Name: "class", Value: []string{"high", "low"}[i/40]}}
	})
	set, err := f.build(t, "class", Limits{})
	if err != nil || len(set.Report.Remarks) != 1 || !strings.Contains(set.Report.Remarks[0], "low from those with high") {
		t.Errorf("got %+v, error %v, want a remark", set, err)
	}
}

// TestSuspectColumns checks that a column that nearly equals the one to predict is a feature with a remark.
func TestSuspectColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f := rows(100, func(int) []records.Field {
		y := random.NormFloat64()
		return []records.Field{{Name: "y", Value: fmt.Sprint(y)}, {Name: "rounded", Value: fmt.Sprintf("%.1f", y)}, {Name: "x", Value: fmt.Sprint(random.Float64())}}
	})
	set, err := f.build(t, "y", Limits{})
	if err != nil || set.Features.Len() != 2 || len(set.Report.Remarks) != 1 || !strings.Contains(set.Report.Remarks[0], "rounded follow those of y") {
		t.Errorf("got %+v, error %v, want a remark about rounded", set, err)
	}
}

// TestBuildEnds checks that the errors of a source and of a context end Build.
func TestBuildEnds(t *testing.T) {
	f := measured(100)
	p, err := NewPlan(f.columns(), "log")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for pass := range 3 {
		source, calls := f.source(), 0
		all := source.Records
		source.Records = func(ctx context.Context) iter.Seq2[*records.Record, error] {
			if calls++; calls <= pass {
				return all(ctx)
			}
			return func(yield func(*records.Record, error) bool) { yield(nil, broken) }
		}
		if _, err := Build(t.Context(), p, source, Limits{}); !errors.Is(err, broken) {
			t.Errorf("pass %d: got error %v, want broken", pass, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, p, f.source(), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}

// BenchmarkBuild makes examples of 20,000 records with 200 features.
func BenchmarkBuild(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	f := rows(20_000, func(int) []records.Field {
		var fields []records.Field
		for j := range 201 {
			fields = append(fields, records.Field{Name: fmt.Sprintf("x%d", j), Value: fmt.Sprintf("%.4f", random.NormFloat64())})
		}
		return fields
	})
	p, err := NewPlan(f.columns(), "x0")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if set, err := Build(b.Context(), p, f.source(), Limits{}); err != nil || set.Features.Len() != 200 {
			b.Fatalf("got %+v, error %v, want 200 features", set, err)
		}
	}
}
