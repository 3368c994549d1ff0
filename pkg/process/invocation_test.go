package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInvocation(t *testing.T) {
	dir := t.TempDir()
	installed, elsewhere := filepath.Join(dir, "bin", "assay"), filepath.Join(dir, "build", "assay")
	for _, path := range []string{installed, elsewhere} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Dir(installed))
	for path, want := range map[string]string{
		installed: "assay",
		elsewhere: "./build/assay",
		filepath.Join(dir, "go-build123", "b001", "exe", "assay"): "go run ./services/assay",
	} {
		if got := invocation(path, "./build/assay", "./services/assay"); got != want {
			t.Errorf("invocation(%q) = %q, want %q", path, got, want)
		}
	}
}
