package trained

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/dataset"
	"github.com/assay-project/assay/pkg/extract/learn/domain"
	"github.com/assay-project/assay/pkg/extract/records"
)

// fitted returns a model of the features x0 and x1 that a learner has fitted.
func fitted(t testing.TB, l learn.Learner, d learn.Data) *Model {
	t.Helper()
	rows := make([]int, d.X.Rows)
	for i := range rows {
		rows[i] = i
	}
	p, err := l.Fit(t.Context(), d, rows)
	if err != nil {
		t.Fatal(err)
	}
	near, err := domain.OfRows(t.Context(), d.X, 1)
	if err != nil {
		t.Fatal(err)
	}
	set := &dataset.Set{Data: d, Target: dataset.Target{Task: d.Task, Column: dataset.Column{Name: "y"}}}
	if d.Task == learn.Classification {
		set.Target.Classes = []string{"no", "yes"}
	}
	for i := range d.X.Columns {
		set.Features.Columns = append(set.Features.Columns, dataset.Feature{Column: dataset.Column{Name: fmt.Sprintf("x%d", i), Type: records.Number}, Median: 0.25})
	}
	m, err := New(set, p, 1.5, near)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEveryCandidateIsStored checks that a model of each learner predicts the same after it was stored, and rejects damaged bytes.
func TestEveryCandidateIsStored(t *testing.T) {
	regression := synthetic(200, 8)
	classes := synthetic(200, 8)
	classes.Task = learn.Classification
	for i, y := range classes.Y {
		classes.Y[i] = 0
		if y > 0 {
			classes.Y[i] = 1
		}
	}
	for _, d := range []learn.Data{regression, classes} {
		for i, l := range Candidates(d, 1) {
			m := fitted(t, l, d)
			b, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(b)
			if err != nil {
				t.Fatalf("%s %d: %v", d.Task, i, err)
			}
			for row := range d.X.Rows {
				if got, want := again.Predictor().Predict(d.X.Row(row)), m.Predictor().Predict(d.X.Row(row)); got != want {
					t.Fatalf("%s %d %s: predicts %g for row %d after it was stored, want %g", d.Task, i, l.Name, got, row, want)
				}
			}
			for _, cut := range []int{0, 1, len(b) / 2, len(b) - 1} {
				if _, err := Decode(b[:cut]); !errors.Is(err, ErrDamaged) {
					t.Errorf("%s, %d of %d bytes: got error %v, want ErrDamaged", l.Name, cut, len(b), err)
				}
			}
		}
	}
}

// TestPredictSetsProperties checks the properties of records: those of an earlier prediction are replaced, missing values are
// counted, and models of molecules predict nothing without a fingerprint.
func TestPredictSetsProperties(t *testing.T) {
	d := synthetic(200, 8)
	m := fitted(t, Candidates(d, 1)[0], d)
	r := records.Record{
		Fields:     records.Fields{{Name: "x0", Value: "0.5"}, {Name: "x1", Value: "no number"}},
		Properties: records.Properties{{Name: "weight", Value: 18.0}, {Name: Prediction, Value: 7.0}},
	}
	m.Predict(m.Features, &r, nil)
	var names []string
	for _, p := range r.Properties {
		names = append(names, p.Name)
	}
	if want := []string{"weight", Prediction, Low, High, Similarity, Inside, Missing}; !slices.Equal(names, want) {
		t.Errorf("got the properties %q, want %q", names, want)
	}
	y, low, high := r.Properties.Get(Prediction).(float64), r.Properties.Get(Low).(float64), r.Properties.Get(High).(float64)
	if high-low < 2.999 || high-low > 3.001 || y <= low || y >= high || r.Properties.Get(Missing) != int64(7) {
		t.Errorf("got %+v, want an interval of 3 around the prediction and 7 missing values", r.Properties)
	}
	m.Features.Bits = []int{3}
	r = records.Record{}
	if m.Predict(m.Features, &r, nil); len(r.Properties) != 0 || !slices.Contains(r.NotDetermined, Prediction) {
		t.Errorf("got %+v, want no prediction without a fingerprint", r)
	}
}
