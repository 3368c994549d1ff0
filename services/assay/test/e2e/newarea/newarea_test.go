// Package newarea adds an area to a copy of the repository, and proves that this takes few changes outside of the area's
// own folders. The area, linecount, is in testdata: it has an upload, one step, a page, a command and a setting. Its tests,
// which are a part of it, prove in the copy that it works.
package newarea

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var works = flag.Bool("newarea.works", false, "build and test a copy of the repository with another area")

// most is the maximum number of files outside of the area's folders that change.
const most = 12

// TestAreaChangesFewFiles: few files outside of the area's folders change, and CONTRIBUTING.md lists exactly these.
func TestAreaChangesFewFiles(t *testing.T) {
	changed := outside(t)
	if t.Logf("%d files outside of the folders of the area:\n%s", len(changed), strings.Join(changed, "\n")); len(changed) > most {
		t.Errorf("got %d files outside of the folders of the area, want at most %d", len(changed), most)
	}
	if got, want := strings.Join(documented(t), "\n"), strings.Join(changed, "\n"); got != want {
		t.Errorf("CONTRIBUTING.md lists these files for a new area:\n%s\nwant\n%s", got, want)
	}
}

// TestAreaWorks: with these changes and the generated files, the services compile, the web app passes its checks, the
// documents describe the area, and its promises hold.
func TestAreaWorks(t *testing.T) {
	if !*works {
		t.Skip("-newarea.works is not set (make newarea, and the merge checks of changes that concern all areas, set it)")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal("the web app cannot be built: npm is not installed (make check installs it)")
	}
	c := newCopy(t)
	c.addArea(t)

	// CONTRIBUTING.md lists these commands under "Build and test".
	c.run(t, "cp", "proto/asyncapi.yaml", "pkg/event/asyncapi.yaml")
	c.run(t, "go", "test", "./services/assay/permissions", "-run", "FilesAreGenerated", "-update")
	c.run(t, "go", "test", "./services/assay", "-run", "LintRules|StatesDocument|SettingsDocument|DataModelDocument|AsyncAPI", "-update")
	c.run(t, ".ci/app", "services/query/ui/dist")

	for path, want := range map[string]string{
		"docs/settings.md":                 "| `ASSAY_LINECOUNT_MAX` | `1000000` |",
		"docs/states.md":                   "## linecount",
		"docs/data-model.md":               "**Table `assay-linecounts`**",
		".golangci.yml":                    "analyzer-linecount:",
		"deploy/iam/ingest/linecount.json": "LineCountsAccept",
		"services/query/ui/dist/pages.txt": "/linecounts",
	} {
		if content, err := os.ReadFile(filepath.Join(c.root, path)); err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s does not contain %q, %v", path, want, err)
		}
	}
	c.run(t, "go", "vet", "./pkg/linecount", "./services/ingest/...", "./services/analyzer/linecount", "./services/query/linecount",
		"./services/assay/cmd", "./services/assay/client", "./services/assay/test/e2e", "./services/assay/test/fault/audit")
	c.run(t, "go", "test", "./services/assay/test/e2e/linecount")
}
