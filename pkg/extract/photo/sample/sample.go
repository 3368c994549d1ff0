// Package sample provides a photo of a person for tests.
package sample

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Portrait returns a photo of a man, a JPEG sample from the module that the library reads tags with.
func Portrait(t testing.TB) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bep/imagemeta").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "images", "metadata-extractor", "noExif.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
