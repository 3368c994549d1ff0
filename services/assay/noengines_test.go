package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// embedded lists packages that only `assay serve` needs. They are more than half of the program.
var embedded = []string{
	"github.com/nats-io/nats-server/v2/server",
	"github.com/versity/versitygw/s3api",
	"github.com/assay-project/assay/pkg/dynamolite",
}

// TestProgramsOfContainersHaveNoEngines checks that programs that run next to external engines do
// not link the embedded ones.
func TestProgramsOfContainersHaveNoEngines(t *testing.T) {
	for _, program := range []string{"ingest/cmd/ingest", "analyzer/cmd/analyzer", "query/cmd/query", "assay"} {
		linked := dependencies(t, "-tags=noengines", "github.com/assay-project/assay/services/"+program)
		for _, engine := range embedded {
			if slices.Contains(linked, engine) {
				t.Errorf("%s links %s, want no engines", program, engine)
			}
		}
	}
	whole := dependencies(t, "-tags=", ".")
	for _, engine := range embedded {
		if !slices.Contains(whole, engine) {
			t.Errorf("assay does not link %s; the package may have been renamed", engine)
		}
	}
}

// dependencies lists the packages that a program links.
func dependencies(t *testing.T, tags, program string) []string {
	t.Helper()
	return strings.Fields(run(t, "go", "list", "-deps", tags, program))
}

// TestServeWithoutEngines checks that serve explains what to do, whatever its flags, and that the
// other commands exist.
func TestServeWithoutEngines(t *testing.T) {
	assay := filepath.Join(t.TempDir(), "assay")
	run(t, "go", "build", "-tags=noengines", "-o", assay, ".")
	for _, args := range [][]string{{"serve"}, {"serve", "--addr", "127.0.0.1:0", "--data=x"}} {
		said, err := exec.Command(assay, args...).CombinedOutput()
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok || ended.ExitCode() != 2 || !strings.Contains(string(said), "without the tag noengines, or build its image with --build-arg TAGS=") {
			t.Errorf("%v: got %v, %s, want exit status 2 and advice", args, err, said)
		}
	}
	for _, command := range []string{"gateway", "setup", "sweep", "feed rebuild", "licenses", "health"} {
		if said := run(t, assay, append(strings.Fields(command), "--help")...); !strings.Contains(said, "assay "+command) {
			t.Errorf("assay %s --help: got %s, want its usage", command, said)
		}
	}
}

// run runs a program, which must succeed, and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	said, err := exec.Command(name, args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s %v: %v: %s", name, args, err, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}
