package paired

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scripted returns a side whose runs have the given costs, after an unmeasured first run.
func scripted(name string, order *[]string, costs ...float64) Side {
	turn := 0
	return Side{Name: name, Run: func(context.Context) (Sample, error) {
		*order = append(*order, name)
		turn++
		if turn == 1 {
			return Sample{CPU: 1000}, nil
		}
		return Sample{CPU: costs[turn-2]}, nil
	}}
}

func TestMean(t *testing.T) {
	var order []string
	mean, err := scripted("own", &order, 4, 8, 12).Mean(4).Run(t.Context())
	if err != nil || mean[CPU] != 256 || len(order) != 4 {
		t.Errorf("mean of 1000, 4, 8 and 12 = %v after %d runs, %v, want 256 after 4 runs", mean[CPU], len(order), err)
	}
	broken := errors.New("broken")
	fails := Side{Run: func(context.Context) (Sample, error) { return nil, broken }}
	if _, err := fails.Mean(2).Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("mean of a failing side returned %v, want %v", err, broken)
	}
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		own, rival   []float64
		direction    Direction
		must, target float64
		ratio        float64
		want         Verdict
	}{
		"at least, target":                    {[]float64{1, 1, 1}, []float64{6, 6, 6}, AtLeast, 4, 6, 6, Target},
		"at least, must":                      {[]float64{1, 1, 1}, []float64{5, 5, 5}, AtLeast, 4, 6, 5, Must},
		"at least, missed":                    {[]float64{2, 2, 2}, []float64{6, 6, 6}, AtLeast, 4, 6, 3, Missed},
		"at most, target":                     {[]float64{3, 3, 3}, []float64{2, 2, 2}, AtMost, 2, 1.5, 1.5, Target},
		"at most, must":                       {[]float64{4, 4, 4}, []float64{2, 2, 2}, AtMost, 2, 1.5, 2, Must},
		"at most, missed":                     {[]float64{5, 5, 5}, []float64{2, 2, 2}, AtMost, 2, 1.5, 2.5, Missed},
		"median ratio of pairs":               {[]float64{1, 1.1, 1.2}, []float64{4, 4.4, 4.8}, AtLeast, 4, 0, 4, Must},
		"own costs may vary":                  {[]float64{1, 9, 1}, []float64{5, 5, 5}, AtLeast, 4, 0, 5, Must},
		"the rival's costs may not vary much": {[]float64{1, 1, 1}, []float64{5, 6.3, 5}, AtLeast, 4, 0, 5, Noisy},
		"the rival's costs may vary slightly": {[]float64{1, 1, 1}, []float64{5, 6.2, 5}, AtLeast, 4, 0, 5, Must},
		"no limit, no verdict":                {[]float64{1, 1, 1}, []float64{5, 5, 5}, AtLeast, 0, 0, 5, NoGoal},
	} {
		t.Run(name, func(t *testing.T) {
			var order []string
			trial := Trial{Own: scripted("own", &order, c.own...), Rival: scripted("rival", &order, c.rival...),
				Goals: []Goal{{Quantity: CPU, Direction: c.direction, Must: c.must, Target: c.target}}}
			result, err := trial.Measure(t.Context(), 3)
			if err != nil {
				t.Fatal(err)
			}
			if want := slices.Repeat([]string{"own", "rival"}, 4); !slices.Equal(order, want) {
				t.Errorf("order of the runs = %q, want %q", order, want)
			}
			if j := result.Judge()[0]; j.Verdict != c.want || j.Ratio < c.ratio-1e-9 || j.Ratio > c.ratio+1e-9 {
				t.Errorf("got %s with ratio %v, want %s with ratio %v", j.Verdict, j.Ratio, c.want, c.ratio)
			}
		})
	}
}

func TestNumberWithoutRival(t *testing.T) {
	var order []string
	result, err := Trial{Own: scripted("own", &order, 60, 64, 70), Goals: []Goal{{Quantity: CPU, Direction: AtMost, Must: 160, Target: 64}}}.Measure(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if j := result.Judge()[0]; j.Verdict != Target || j.Own != (Spread{60, 64, 70}) {
		t.Errorf("got %+v, want the target met by 60, 64 and 70", j)
	}
}

func TestReasonsForNoVerdict(t *testing.T) {
	var order []string
	absent, err := Trial{Own: scripted("own", &order), Absent: "fastlwc is not installed", Goals: []Goal{{ID: "W4", Quantity: CPU, Must: 1}}}.Measure(t.Context(), 5)
	if err != nil || len(order) != 0 {
		t.Fatalf("Measure with an absent rival made %d runs and returned %v, want no runs and nil", len(order), err)
	}
	if j := absent.Judge()[0]; j.Verdict != Absent || j.Reason != "fastlwc is not installed" {
		t.Errorf("absent rival: got %+v, want the verdict %q with its reason", j, Absent)
	}
	unknown := Result{Trial: Trial{Goals: []Goal{{Quantity: "p50", Must: 1}}}, OwnRuns: []Sample{{CPU: 1}}}
	if j := unknown.Judge()[0]; j.Verdict != Unknown {
		t.Errorf("missing quantity: got %+v, want the verdict %q", j, Unknown)
	}
	broken := errors.New("broken")
	if _, err := (Trial{Own: Side{Run: func(context.Context) (Sample, error) { return nil, broken }}}).Measure(t.Context(), 5); !errors.Is(err, broken) {
		t.Errorf("Measure of a failing side returned %v, want %v", err, broken)
	}
	failed := Result{Trial: Trial{Goals: []Goal{{Quantity: CPU, Must: 1}}}, OwnRuns: []Sample{{CPU: 1}}, Failed: "broken"}
	if j := failed.Judge()[0]; j.Verdict != Failed || j.Reason != "broken" {
		t.Errorf("aborted trial: got %+v, want the verdict %q with its reason", j, Failed)
	}
}

func TestCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte("one two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sample, output, err := Process{Path: "/bin/sh", Args: []string{"-c", "cat; echo $ASSAY_TEST"}, Stdin: path, Env: []string{"ASSAY_TEST=three"}}.Run(t.Context())
	if err != nil || string(output) != "one two\nthree\n" {
		t.Fatalf("output = %q, %v, want the input and the variable", output, err)
	}
	if sample[Wall] <= 0 || sample[CPU] < 0 {
		t.Errorf("sample = %v, want positive wall time and CPU time of at least 0", sample)
	}
	if _, err := Command("failing", Process{Path: "/bin/sh", Args: []string{"-c", "echo why >&2; exit 3"}}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("a failing program returned %v, want an error that includes its standard error", err)
	}
}

func TestReportAndWrite(t *testing.T) {
	var order []string
	result, err := Trial{Title: "a book", Own: scripted("AVX2", &order, 0.3, 0.31, 0.32), Rival: scripted("wc", &order, 1.3, 1.31, 1.32),
		Goals: []Goal{{ID: "W2", What: "CPU", Quantity: CPU, Must: 2.5, Target: 3.5}}}.Measure(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	const row = "|W2|a book, CPU|AVX2|wc|310 ms|1.31 s|**4.23**|≥ 2.5; ≥ 3.5|target|\n"
	table := Table([]Result{result})
	if !strings.Contains(table, row) {
		t.Errorf("the table is\n%s\nwant the row\n%s", table, row)
	}
	var printed strings.Builder
	result.Print(&printed)
	if !strings.Contains(printed.String(), "ratio  4.23  must ≥ 2.5, target ≥ 3.5") {
		t.Errorf("Print wrote\n%s\nwant the ratio 4.23 with both limits", &printed)
	}

	path := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(path, []byte("before\n<!-- begin words -->\nold\n<!-- end words -->\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteInto(path, "words", table); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before\n<!-- begin words -->\n\n" + table + "\n<!-- end words -->\nafter\n"; string(written) != want {
		t.Errorf("got the file %q, want %q", written, want)
	}
	if err := WriteInto(path, "pipeline", table); err == nil {
		t.Error("WriteInto of a file without the lines of the group returned nil, want an error")
	}
}
