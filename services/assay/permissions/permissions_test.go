package permissions_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/assay/permissions"
	"github.com/assay-project/assay/services/assay/setup"
)

var update = flag.Bool("update", false, "write the generated files")

// described returns the areas and the storage of what belongs to no area, with default settings or those of the environment.
func described(t *testing.T, environ ...string) ([]area.Area, area.Storage) {
	t.Helper()
	cfg, err := config.Load[setup.Config](append([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Areas(), platform.Storage(cfg.Platform)
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
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, want, 0o644)); err != nil {
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
	found, err := filepath.Glob("../../../deploy/iam/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name := filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash("../../../")))
		if files[name] != nil {
			continue
		}
		if !*update {
			t.Errorf("%s belongs to no program or area; run make gen", name)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPoliciesFit checks that each policy fits into a managed policy, with the longest environment, account and region.
func TestPoliciesFit(t *testing.T) {
	areas, platform := described(t, "ASSAY_ENV=environment-of-20-chr")
	for program, policies := range permissions.IAM(areas, platform) {
		if len(policies) > 10 {
			t.Errorf("%s has %d policies, want at most 10, the default quota of a role", program, len(policies))
		}
		for name, policy := range policies {
			text, err := json.Marshal(policy)
			if err != nil {
				t.Fatal(err)
			}
			size := len(strings.ReplaceAll(string(text), ":*:*:", ":ap-southeast-1:123456789012:"))
			if size > permissions.Limit {
				t.Errorf("the policy %s of %s has %d characters, want at most %d", name, program, size, permissions.Limit)
			}
		}
	}
}
