package tree

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/score"
)

var python = flag.String("python", "", "compare with scikit-learn on its sets by this Python `interpreter`")

// tolerance is how much worse than scikit-learn a score may be, as a share of it.
const tolerance = 0.05

// TestSynthetic compares cross-validated scores with those that scikit-learn 1.2.1 has with the same rows, folds and
// parameters: "testdata/reference.py golden". 50 trees in a forest, otherwise the parameters are the defaults.
func TestSynthetic(t *testing.T) {
	for _, c := range []struct {
		task             learn.Task
		forest, boosting float64
	}{
		{learn.Regression, 2.1686902070041914, 1.4931054023057586},
		{learn.Classification, 0.9413799730924466, 0.9596546863988724},
	} {
		d := learntest.Friedman(c.task, 1000, 10, 40)
		folds := make([]int, len(d.Y))
		for i := range folds {
			folds[i] = i % 5
		}
		compare(t, string(c.task), d, folds, 50, map[string]float64{"forest": c.forest, "boosting": c.boosting})
	}
}

// TestSets compares cross-validated scores on sets of scikit-learn with its own, for the same folds:
//
//	apt-get install python3-sklearn
//	go test -run TestSets -v . -python /usr/bin/python3
func TestSets(t *testing.T) {
	if *python == "" {
		t.Skip("needs -python, an interpreter with scikit-learn")
	}
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), *python, "-B", "testdata/reference.py", "sets", folder)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(folder, "scores.json"))
	if err != nil {
		t.Fatal(err)
	}
	var scores struct {
		Sets map[string]struct {
			Classes bool
			Scores  map[string]float64
		}
	}
	if err := json.Unmarshal(data, &scores); err != nil {
		t.Fatal(err)
	}
	if len(scores.Sets) < 4 {
		t.Fatalf("%d sets", len(scores.Sets))
	}
	for name, s := range scores.Sets {
		d, folds := readSet(t, filepath.Join(folder, name+".csv"))
		if s.Classes {
			d.Task = learn.Classification
		}
		compare(t, name, d, folds, 200, s.Scores)
	}
}

// compare compares the scores of boosting and of forests of some trees with those wanted.
func compare(t *testing.T, name string, d learn.Data, folds []int, trees int, want map[string]float64) {
	t.Helper()
	b := Bin(d.X)
	for _, l := range []learn.Learner{
		ForestLearner(b, ForestParameters{Trees: trees, Seed: 1}),
		BoostingLearner(b, BoostingParameters{Seed: 1}),
	} {
		got, want := crossValidate(t, l, d, folds), want[l.Name]
		t.Logf("%s of %s: %.4f, scikit-learn %.4f, %+.2f %%", l.Name, name, got, want, 100*(got/want-1))
		if d.Task == learn.Regression && got > want*(1+tolerance) || d.Task == learn.Classification && got < want*(1-tolerance) {
			t.Errorf("%s of %s: %.4f, scikit-learn %.4f", l.Name, name, got, want)
		}
	}
}

// crossValidate returns the root of the mean squared error, or the area under the ROC curve, of the predictions for the rows
// of each fold by a model of the other rows.
func crossValidate(t *testing.T, l learn.Learner, d learn.Data, folds []int) float64 {
	t.Helper()
	predicted := make([]float64, len(d.Y))
	for fold := range 5 {
		var rows []int
		for i, f := range folds {
			if f != fold {
				rows = append(rows, i)
			}
		}
		m, err := l.Fit(t.Context(), d, rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range folds {
			if f == fold {
				predicted[i] = m.Predict(d.X.Row(i))
			}
		}
	}
	if d.Task == learn.Classification {
		measures, err := score.OfProbabilities(d.Y, predicted)
		if err != nil {
			t.Fatal(err)
		}
		return measures.AUC
	}
	measures, err := score.OfNumbers(d.Y, predicted)
	if err != nil {
		t.Fatal(err)
	}
	return measures.RMSE
}

// readSet reads the fold, the value and the features of each row.
func readSet(t *testing.T, path string) (learn.Data, []int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := learn.Data{Task: learn.Regression, X: learn.Matrix{Rows: len(records), Columns: len(records[0]) - 2}}
	var folds []int
	for _, record := range records {
		var numbers []float64
		for _, field := range record {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, v)
		}
		folds = append(folds, int(numbers[0]))
		d.Y = append(d.Y, numbers[1])
		d.X.Values = append(d.X.Values, numbers[2:]...)
	}
	return d, folds
}
