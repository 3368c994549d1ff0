package ledger

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/fault/audit"
)

var update = flag.Bool("update", false, "write docs/faults.md anew from docs/faults.jsonl")

const docs = "../../../../docs/"

// TestPageIsWhatTheRunsSay: docs/faults.md is what its runs make of it, and they
// keep the promises.
func TestPageIsWhatTheRunsSay(t *testing.T) {
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
		t.Errorf("docs/faults.md is out of date (run the test with -update); it should be\n%s", want)
	}
	for _, run := range runs {
		if run.Lost+run.Doubled+run.Stuck > 0 && run.Remains == "" {
			t.Errorf("%s: %d lost, %d doubled, %d stuck, and the page does not say why", run.Fault, run.Lost, run.Doubled, run.Stuck)
		}
	}
}

// TestEnteredRunsAreSummed: what runs enter is on the page, a line for each fault.
func TestEnteredRunsAreSummed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	t.Setenv(File, name)
	found := audit.Report{Accepted: 600, Stuck: 1, Delays: []time.Duration{time.Second, 2500 * time.Millisecond}}
	for _, run := range []Run{
		Run{Fault: "a kill", Means: "The 2xx was seen.", Runs: 3, Recovery: time.Second, Lease: 2 * time.Second}.Of(found),
		{Fault: "another", Means: "The first publish returned.", Remains: "It delays.", Runs: 1, Accepted: 5, Longest: 9 * time.Second},
		Run{Fault: "a kill", Means: "The 2xx was seen.", Runs: 4}.Of(found),
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
		"\n| **all** | 8 | 1,205 | 0 | 0 | 2 | 9.0 s | |\n",
		"\n1. The 2xx was seen.\n2. The first publish returned.\n",
		"\n- another: It delays.\n",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not have %q:\n%s", line, page)
		}
	}
	if err := os.WriteFile(name, []byte("{\"fault\":\"x\",\"losst\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if file, err = os.Open(name); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a line that is none: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
