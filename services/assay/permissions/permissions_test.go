package permissions_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/permissions"
	"github.com/assay-project/assay/services/assay/setup"
)

var update = flag.Bool("update", false, "write the generated files")

// described returns the areas and all storage, with default settings.
func described(t *testing.T) ([]area.Area, []area.Storage) {
	t.Helper()
	cfg, err := config.Load[setup.Config]([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"})
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Areas(), cfg.Storage(cfg.Areas())
}

// TestFilesAreGenerated compares the files in deploy with the descriptions of the areas.
func TestFilesAreGenerated(t *testing.T) {
	files, err := permissions.Files(described(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join("../../..", filepath.FromSlash(name))
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s does not match the descriptions of the areas; run make gen", name)
		}
	}
}
