// Package sample provides a photo of a person for tests.
package sample

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Portrait returns a passport photo, a JPEG sample from the module of the face cascade.
func Portrait(t testing.TB) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/esimov/pigo").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "sample.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
