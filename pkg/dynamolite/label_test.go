package dynamolite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// TestLabelIsDurable checks that a label is in the file, also if it is only in the journal when the file is copied,
// as after a crash.
func TestLabelIsDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if label, err := engine.Label(); label != "" || err != nil {
		t.Errorf("a new file has the label %q, %v, want none", label, err)
	}
	if err := engine.SetLabel("of a folder"); err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(t.TempDir(), "db")
	for _, suffix := range []string{"", ".journal"} { // a crash would leave these contents
		if err := os.WriteFile(crashed+suffix, must(os.ReadFile(path+suffix))(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"closed": path, "crashed": crashed} {
		engine, err := dynamolite.Open(dynamolite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if label, err := engine.Label(); label != "of a folder" || err != nil {
			t.Errorf("%s: got the label %q, %v, want the one that was set", name, label, err)
		}
		if values, err := engine.Check(func(problem string) { t.Error(problem) }); values == 0 || err != nil {
			t.Errorf("%s: Check read %d values, %v, want at least the label", name, values, err)
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}
}
