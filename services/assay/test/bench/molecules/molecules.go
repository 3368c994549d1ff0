// Package molecules measures the parsing of molecules: the goal R1 of docs/performance.md.
package molecules

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// Options configures the measurement.
type Options struct {
	Dir     string    // for the program and the file, which are kept for later runs
	Samples string    // an SDF file whose records are repeated; empty for generated records
	Out     io.Writer // for messages
}

// size is the minimum number of bytes that both sides read.
const size = 32 << 20

// Trials writes the file, builds the program, checks that its output matches the rival's, and returns the
// trial. The rival is the installed Open Babel (Debian package openbabel).
func Trials(ctx context.Context, o Options) ([]paired.Trial, error) {
	samples, err := Samples(o.Samples)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Dir, "molecules.sdf")
	if err := os.WriteFile(file, bytes.Repeat(samples, size/len(samples)+1), 0o644); err != nil {
		return nil, err
	}
	program := filepath.Join(o.Dir, "read-molecules")
	if err := command.Build(ctx, program, "molecules/read", ""); err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%d MB of generated molecules", size>>20)
	if o.Samples != "" {
		title = fmt.Sprintf("%d MB of %s", size>>20, filepath.Base(o.Samples))
	}
	own := paired.Process{Path: program, Args: []string{file}, Env: []string{"GOMAXPROCS=1"}}
	trial := paired.Trial{
		Title: title,
		Own:   paired.Command("assay", own),
		Rival: paired.Side{Name: "Open Babel"},
		Goals: []paired.Goal{{ID: "R1", What: "CPU", Quantity: paired.CPU, Direction: paired.AtLeast, Must: 5, Target: 10}},
	}
	path, err := exec.LookPath("obabel")
	if err != nil {
		trial.Absent = "obabel is not on PATH"
		fmt.Fprintln(o.Out, "molecules: NOT MEASURED against Open Babel:", trial.Absent)
		return []paired.Trial{trial}, nil
	}
	rival := paired.Process{Path: path, Args: []string{"-isdf", file, "-otxt", "--append", "formula MW"}}
	trial.Rival = paired.Command("Open Babel", rival)
	return []paired.Trial{trial}, agree(ctx, own, rival, o.Out)
}

// agree returns an error unless both programs print the same number of records, and the same formula for at
// least 90% of them. Open Babel writes D for deuterium, and orders the elements of a formula without carbon
// differently; TestAgainstOpenBabel of package molecule compares compositions.
func agree(ctx context.Context, own, rival paired.Process, out io.Writer) error {
	_, mine, err := own.Run(ctx)
	if err != nil {
		return err
	}
	_, theirs, err := rival.Run(ctx)
	if err != nil {
		return err
	}
	a, b := strings.Split(string(mine), "\n"), strings.Split(string(theirs), "\n")
	if len(a) != len(b) {
		return fmt.Errorf("read %d records, but Open Babel read %d", len(a)-1, len(b)-1)
	}
	same := 0
	for i := range len(a) - 1 {
		words := strings.Fields(b[i]) // optional title, formula with signs for the charge, weight
		if n := len(words); n > 1 && strings.Split(a[i], "\t")[1] == strings.TrimRight(words[n-2], "+-") {
			same++
		}
	}
	fmt.Fprintf(out, "Open Babel printed the same formula for %d of %d records\n", same, len(a)-1)
	if same*10 < 9*(len(a)-1) {
		return fmt.Errorf("the formulas of %d of %d records differ from those of Open Babel", len(a)-1-same, len(a)-1)
	}
	return nil
}
