package rdkit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// golden is the output of identify.cjs for molecules.sdf.
const golden = "testdata/identities.json"

var (
	node    = flag.String("package", "", "the `folder` of the npm package @rdkit/rdkit, with which TestAgainstNode compares the results")
	samples = flag.String("samples", "testdata/molecules.sdf", "the SDF `file` whose molecules are compared with Node.js")
	update  = flag.Bool("update", false, "write the output of Node.js to "+golden)
)

// found is the output of identify.cjs for a molecule.
type found struct {
	Identity
	Layout string
}

// TestIdentities compares the results with those of the npm package in Node.js, byte for byte.
func TestIdentities(t *testing.T) {
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, blocks(t, "testdata/molecules.sdf"), data)
}

// TestAgainstNode runs the npm package in Node.js and compares the results for the molecules in the file
// given by -samples.
func TestAgainstNode(t *testing.T) {
	if *node == "" {
		t.Skip("requires -package")
	}
	all := blocks(t, *samples)
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "node", "testdata/identify.cjs", *node)
	script.Stdin, script.Stderr = bytes.NewReader(input), os.Stderr
	theirs, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, theirs, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, all, theirs)
}

func compare(t *testing.T, blocks []string, theirs []byte) {
	t.Helper()
	var want []*found
	if err := json.Unmarshal(theirs, &want); err != nil || len(want) != len(blocks) || len(blocks) == 0 {
		t.Fatalf("got %d results for %d molecules, error %v, want one for each, and at least one", len(want), len(blocks), err)
	}
	s := open(t, t.Context())
	read, different := 0, 0
	for i, block := range blocks {
		id, _, err := s.Identify(block)
		if err != nil || want[i] == nil {
			if (err == nil) != (want[i] != nil) {
				different++
				t.Errorf("molecule %d: got %v, error %v, want %v", i+1, id, err, want[i])
			}
			continue
		}
		read++
		layout, err := s.Layout(block)
		if id != want[i].Identity || layout != want[i].Layout || err != nil {
			different++
			t.Errorf("molecule %d: got %v, layout %q, error %v, want %v", i+1, id, layout, err, want[i])
		}
	}
	t.Logf("%d molecules, %d of them read, %d different", len(blocks), read, different)
}

// blocks returns the MOL blocks of an SDF file.
func blocks(t *testing.T, name string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil && strings.HasSuffix(name, ".gz") {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	const end = "M  END\n"
	for record := range strings.SplitSeq(strings.ReplaceAll(string(data), "\r", ""), "$$$$\n") {
		if at := strings.Index(record, end); at >= 0 {
			all = append(all, record[:at+len(end)])
		}
	}
	return all
}
