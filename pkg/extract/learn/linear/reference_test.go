package linear_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
)

// reference are models of scikit-learn in testdata/reference.json, which testdata/reference.py writes: Ridge with the
// solver cholesky, and LogisticRegression with the solver newton-cholesky and the tolerance 1e-10, of features standardized by
// StandardScaler.
type reference struct {
	Task          learn.Task
	Rows, Columns int
	Models        []struct {
		Name                    string
		Parameter, Center       float64
		Standardized, Predicted []float64
	}
}

func TestCoefficientsEqualReference(t *testing.T) {
	content, err := os.ReadFile("../testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Versions     string
		Coefficients []reference
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Coefficients) != 4 {
		t.Fatalf("got %d data sets, want 4", len(file.Coefficients))
	}
	for _, r := range file.Coefficients {
		d := learntest.Data(r.Task, r.Rows, r.Columns, uint64(r.Rows))
		for _, want := range r.Models {
			learner := linear.RidgeLearner(want.Parameter)
			if r.Task == learn.Classification {
				learner = linear.LogisticLearner(want.Parameter)
			}
			p, err := learner.Fit(t.Context(), d, learntest.Rows(d))
			if err != nil {
				t.Fatal(err)
			}
			got := p.(*linear.Model)
			if learner.Name != want.Name {
				t.Errorf("got the name %q, want %q", learner.Name, want.Name)
			}
			worst := math.Abs(got.Center - want.Center)
			for j, c := range want.Standardized {
				worst = max(worst, math.Abs(got.Standardized[j]-c))
			}
			for i, y := range want.Predicted {
				worst = max(worst, math.Abs(got.Predict(d.X.Row(i))-y))
			}
			if !(worst <= 1e-6) || len(want.Standardized) != r.Columns {
				t.Errorf("%s %v of %d rows and %d columns: largest difference %v to %s, want at most 1e-6",
					want.Name, want.Parameter, r.Rows, r.Columns, worst, file.Versions)
			}
			t.Logf("%s %v of %d rows and %d columns: largest difference %.1e", want.Name, want.Parameter, r.Rows, r.Columns, worst)
		}
	}
}
