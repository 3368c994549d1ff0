package choose_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/choose"
	"github.com/assay-project/assay/pkg/extract/learn/fold"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
)

var (
	python = flag.String("python", "", "compare with scikit-learn on public data sets by this Python `interpreter`")
	tables = flag.String("tables", "", "compare on the CSV files in this `folder` too: numbers without a header, the last to be predicted")
)

// Models of public data sets have the coefficients and, with the same folds, the scores of those of scikit-learn.
func TestSetsEqualScikitLearn(t *testing.T) {
	if *python == "" {
		t.Skip("needs -python, an interpreter with scikit-learn")
	}
	folder := t.TempDir()
	run(t, "sets", folder)
	if *tables != "" {
		if err := os.CopyFS(filepath.Join(folder, "tables"), os.DirFS(*tables)); err != nil {
			t.Fatal(err)
		}
	}
	var files []string
	for _, pattern := range []string{"*.csv", "tables/*.csv"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 3 {
		t.Fatalf("got data sets %v, want 3", files)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) { compareSet(t, strings.TrimSuffix(file, ".csv")) })
	}
}

func run(t *testing.T, arguments ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), *python, append([]string{"../testdata/reference.py"}, arguments...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", arguments, err, out)
	}
}

func compareSet(t *testing.T, name string) {
	d := readSet(t, name+".csv")
	folds, err := fold.Split(5, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".folds", []byte(strings.Trim(strings.ReplaceAll(fmt.Sprint(folds), " ", "\n"), "[]")), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "compare", filepath.Dir(name), filepath.Base(name))
	content, err := os.ReadFile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Models []struct {
			Parameter, Center float64
			Standardized      []float64
		}
		Scores []struct{ Folds []float64 }
	}
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	learners := linear.RidgeLearners(0.1, 1, 10, 100, 1000)
	if d.Task == learn.Classification {
		learners = linear.LogisticLearners(0.01, 0.1, 1, 10)
	}
	choice, err := choose.Choose(t.Context(), d, folds, learners)
	if err != nil || len(want.Models) != len(learners) {
		t.Fatalf("got %d models and error %v, want %d", len(want.Models), err, len(learners))
	}
	for i, l := range learners {
		p, err := l.Fit(t.Context(), d, learntest.Rows(d))
		if err != nil {
			t.Fatal(err)
		}
		m, worst := p.(*linear.Model), 0.0
		for j, c := range want.Models[i].Standardized {
			worst = max(worst, math.Abs(m.Standardized[j]-c))
		}
		worst = max(worst, math.Abs(m.Center-want.Models[i].Center))
		if !(worst <= 1e-6) {
			t.Errorf("%s %v: largest difference of a coefficient is %v, want at most 1e-6", l.Name, l.Parameters, worst)
		}
		reference := 0.0
		for _, v := range want.Scores[i].Folds {
			reference += v / 5
		}
		got := choice.Candidates[i].Score
		if !(math.Abs(got/reference-1) <= 0.05) {
			t.Errorf("%s %v: score %v, want %v", l.Name, l.Parameters, got, reference)
		}
		t.Logf("%s %v: coefficients differ by %.1e, %s %.6f and %.6f by scikit-learn", l.Name, l.Parameters, worst, choice.Metric, got, reference)
	}
}

func readSet(t *testing.T, file string) learn.Data {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := learn.Data{Task: learn.Classification, X: learn.Matrix{Rows: len(records), Columns: len(records[0]) - 1}}
	for _, record := range records {
		for j, text := range record {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if j < d.X.Columns {
				d.X.Values = append(d.X.Values, v)
				continue
			}
			d.Y = append(d.Y, v)
			if v != 0 && v != 1 {
				d.Task = learn.Regression
			}
		}
	}
	return d
}
