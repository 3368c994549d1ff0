package ledger

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

var update = flag.Bool("update", false, "rewrite docs/faults.md from docs/faults.jsonl")

const docs = "../../../../../docs/"

// TestPageMatchesRuns checks that docs/faults.md is generated from its runs, and that they keep all
// promises.
func TestPageMatchesRuns(t *testing.T) {
	file, err := os.Open(docs + "faults.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	runs, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Page(runs)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(docs+"faults.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs + "faults.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/faults.md is out of date (run the test with -update); got\n%s\nwant\n%s", got, want)
	}
	for _, run := range runs {
		if run.Lost+run.Doubled+run.Stuck > 0 && run.Remains == "" {
			t.Errorf("%s: %d lost, %d doubled, %d stuck, want none, or a reason in Remains", run.Fault, run.Lost, run.Doubled, run.Stuck)
		}
		if err := run.InTime(); err != nil {
			t.Error(err)
		}
	}
}

// TestEnteredRunsAreSummed: the page has one row per fault, with the sums over its recorded runs.
func TestEnteredRunsAreSummed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	t.Setenv(File, name)
	found := audit.Report{Accepted: 600, Stuck: 1, Delays: []time.Duration{time.Second, 2500 * time.Millisecond}}
	for _, run := range []Run{
		Run{Fault: "a kill", Means: "The 2xx was seen.", Runs: 3, Recovery: time.Second, Lease: 2 * time.Second}.Of(found),
		{Fault: "another", Means: "The first publish returned.", Remains: "It delays.", Runs: 1, Accepted: 5, Longest: 9 * time.Second},
		Run{Fault: "a kill", Means: "The 2xx was seen.", Runs: 4}.Of(found),
		{Fault: "a flood", Means: "The 2xx was seen.", Runs: 1, Overload: &Overload{
			Offered: 12_000, Let: 1000, Owner: 6000, Stream: 5000, Factor: 11.5, Median: 1.25, P99: 2, Memory: 1.049, Quiet: time.Second, Flood: 30 * time.Second,
		}},
	} {
		if err := Enter(run); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := Read(file)
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	page, err := Page(runs)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"\n| a kill (1) | 7 | 1,200 | 0 | 0 | 2 | 2.5 s | 1.0 s at a lease of 2.0 s |\n",
		"\n| another (2) | 1 | 5 | 0 | 0 | 0 | 9.0 s | – |\n",
		"\n| a flood (1) | 1 | 0 | 0 | 0 | 0 | 0.0 s | – |\n",
		"\n| **all** | 9 | 1,205 | 0 | 0 | 2 | 9.0 s | |\n",
		"\n| 12,000 | × 11.50 | 1,000 | 6,000 | 5,000 | × 1.25 | × 2.00 | × 1.05 | 1.0 s | 30.0 s |\n\n## What \"accepted\" means\n",
		"\n1. The 2xx was seen.\n2. The first publish returned.\n",
		"\n- another: It delays.\n",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not contain %q:\n%s", line, page)
		}
	}
	if err := os.WriteFile(name, []byte("{\"fault\":\"x\",\"losst\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if file, err = os.Open(name); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("Read of an invalid line returned %v, want an error for line 1", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// TestLateRecoveryFails: a run whose recovery exceeds the lease by more than 5 s is
// recorded and fails; one that is not recorded does not fail.
func TestLateRecoveryFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	late := Run{Fault: "a kill", Recovery: 7*time.Second + time.Millisecond, Lease: 2 * time.Second}
	t.Setenv(File, "")
	if err := Enter(late); err != nil {
		t.Errorf("Enter(late) without a file = %v, want nil", err)
	}
	t.Setenv(File, name)
	if err := Enter(late); !errors.Is(err, ErrLate) {
		t.Errorf("Enter(late) = %v, want ErrLate", err)
	}
	late.Recovery -= time.Millisecond
	if err := Enter(late); err != nil {
		t.Errorf("Enter of a run in time = %v, want nil", err)
	}
	kept, err := os.ReadFile(name)
	if lines := strings.Count(string(kept), "\n"); err != nil || lines != 2 {
		t.Errorf("got %d recorded runs and the error %v, want 2 runs", lines, err)
	}
}
