package recordstest

import (
	"bytes"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Reference runs a reference program with the files in the subfolders of the folder that an environment variable names, and
// returns the lines of its output. The test is skipped if the variable is not set, because public files are not part of the
// repository.
func Reference(t *testing.T, variable, program string, args ...string) iter.Seq[[]byte] {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skip(variable + " names no folder of public files")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, append(args, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Lines(out)
}
