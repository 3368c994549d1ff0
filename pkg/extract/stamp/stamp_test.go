package stamp_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/stamp"
)

// TestVersions checks that a program states the versions of libraries that it was built with.
func TestVersions(t *testing.T) {
	printed := output(t, "run", "./testdata/stamps.go")
	var want strings.Builder
	for _, module := range []string{"github.com/gabriel-vasile/mimetype", "codeberg.org/readeck/go-readability/v2"} {
		version := strings.TrimSpace(output(t, "list", "-m", "-f", "{{.Version}}", module))
		want.WriteString(stamp.Of(module) + " " + strings.TrimPrefix(version, "v") + "\n") // a test has no versions
	}
	if printed != want.String() {
		t.Errorf("got %q, want %q", printed, want.String())
	}
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stderr = t.Output()
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(printed)
}
