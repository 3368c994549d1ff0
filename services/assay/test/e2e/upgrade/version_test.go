package upgrade

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// previous names the previous release: its tag, or the commit that stands for it until there is a tag.
//
//go:embed previous.txt
var previous string

// version is a version of Assay.
type version struct {
	name  string
	files string // folder of its programs; empty for this build
}

// current is this build.
var current = version{name: "current"}

// start starts a service.
func (v version) start(t *testing.T, c *system.Cluster, role string, env ...string) *system.Service {
	t.Helper()
	if v.files == "" {
		return c.Service(t, role, env...)
	}
	return c.ServiceOf(t, filepath.Join(v.files, role), role, env...)
}

// assay starts the command line with the settings of `assay setup`.
func (v version) assay(t *testing.T, c *system.Cluster, args ...string) *system.Program {
	t.Helper()
	if v.files == "" {
		return system.Launch(t, "assay", c.Environment("setup"), args...)
	}
	return system.LaunchFile(t, filepath.Join(v.files, "assay"), c.Environment("setup"), args...)
}

// buildPrevious builds the previous release.
func buildPrevious(t *testing.T) version {
	t.Helper()
	ref, repository := strings.TrimSpace(previous), system.Repository(t, "")
	if output, err := git(t, repository, "cat-file", "-e", ref+"^{commit}"); err != nil {
		t.Fatalf("the repository does not contain the previous release %s, which previous.txt names: run git fetch --unshallow --tags\n%s", ref, output)
	}
	archive, err := git(t, repository, "archive", "--format=tar", ref)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	extract(t, root, archive)
	return version{ref, build(t, root, "")}
}

func git(t *testing.T, repository string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*", "-C", repository}, args...)...)
	output, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.Stderr, err
	}
	return output, err
}

// extract writes the folders and files of an archive.
func extract(t *testing.T, root string, archive []byte) {
	t.Helper()
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		entry, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, filepath.FromSlash(entry.Name))
		switch entry.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o750)
		case tar.TypeReg:
			var content []byte
			if content, err = io.ReadAll(reader); err == nil {
				err = os.WriteFile(path, content, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// edit is a change of a file of the repository.
type edit struct{ path, old, replacement string }

// nextVersion returns the changes that make this build a next version: it sends and supports version 2 of the work events of
// text files, and has other settings of streams and consumers.
func nextVersion() []edit {
	return []edit{
		{"pkg/textfile/area.go", `Subjects: uploadedSubject + ">"}`, `Subjects: uploadedSubject + ">", Version: 2}`},
		{"pkg/textfile/area.go", "Time: at, Data: d}", "Time: at, Data: d, Version: 2}"},
		{"pkg/bus/settings.go", "const settingsVersion = 1", "const settingsVersion = 2"},
		{"pkg/bus/config.go", "const duplicateWindow = 10 * time.Minute", "const duplicateWindow = 11 * time.Minute"},
		{"pkg/bus/consume/durables.go", "const waitingPlaces = 1000", "const waitingPlaces = 2000"},
	}
}

// buildNext builds this working tree with changes, without changing it.
func buildNext(t *testing.T, edits []edit) version {
	t.Helper()
	root, dir := system.Repository(t, ""), t.TempDir()
	changed := map[string]string{}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for _, e := range edits {
		path := filepath.Join(root, filepath.FromSlash(e.path))
		if changed[path] == "" {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed[path] = string(content)
		}
		if strings.Count(changed[path], e.old) != 1 {
			t.Fatalf("%s does not contain %q exactly once", e.path, e.old)
		}
		changed[path] = strings.Replace(changed[path], e.old, e.replacement, 1)
		overlay.Replace[path] = filepath.Join(dir, strings.ReplaceAll(e.path, "/", "_"))
	}
	for path, content := range changed {
		if err := os.WriteFile(overlay.Replace[path], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return version{"next", build(t, root, file)}
}

// build builds the programs of a tree, without the race detector, and returns their folder.
func build(t *testing.T, root, overlay string) string {
	t.Helper()
	out := t.TempDir()
	args := []string{"build", "-trimpath", "-o", out}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	args = append(args, "./services/ingest/cmd/ingest", "./services/analyzer/cmd/analyzer", "./services/query/cmd/query", "./services/assay")
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK="+filepath.Join(root, "go.work"), "PWD="+root, "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s in %s: %v\n%s", strings.Join(args, " "), root, err, output)
	}
	return out
}
