package install

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// root is the root of the repository, relative to this package.
const root = "../../../.."

// proxy creates a module proxy in a temporary folder, with a release of all modules at the version, and
// returns its URL.
func proxy(t *testing.T, version string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	work, err := modfile.ParseWork("go.work", content, nil)
	if err != nil {
		t.Fatal(err)
	}
	released, dir := t.TempDir(), t.TempDir()
	clone(t, "go.work", released)
	for _, use := range work.Use {
		clone(t, filepath.Join(filepath.FromSlash(use.Path), "go.mod"), released)
	}
	for _, tag := range tags(t, released, version) {
		folder, of, _ := strings.Cut(tag, "/v")
		if "v"+of != version {
			t.Fatalf("got the tag %s, want one of version %s", tag, version)
		}
		publish(t, dir, module.Version{Path: repository + folder, Version: version}, filepath.Join(root, folder), filepath.Join(released, folder, "go.mod"))
	}
	return "file://" + filepath.ToSlash(dir)
}

// tags rewrites the go.mod files below released, with the command of CONTRIBUTING.md, and returns the tags that it prints.
func tags(t *testing.T, released, version string) []string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "modules")
	// Without -race, because the program has no goroutines and compiles faster.
	build := exec.CommandContext(t.Context(), "go", "build", "-race=false", "-o", program, repository+"deploy/release/cmd/modules")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", build, err, output)
	}
	rewrite := exec.CommandContext(t.Context(), program, version)
	rewrite.Dir = released
	printed, err := rewrite.Output()
	if err != nil {
		t.Fatalf("%v: %v", rewrite, err)
	}
	found := strings.Fields(string(printed))
	if !slices.Contains(found, "services/assay/"+version) {
		t.Fatalf("got the tags %q, want services/assay/%s among them", found, version)
	}
	return found
}

// clone copies a file of the repository to another root.
func clone(t *testing.T, name, to string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// publish stores the archive, the go.mod file and the version list of a module in the layout of a module proxy.
func publish(t *testing.T, dir string, m module.Version, source, goMod string) {
	t.Helper()
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, filepath.FromSlash(escaped), "@v", m.Version)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version, "Time": time.Now().UTC()})
	if err != nil {
		t.Fatal(err)
	}
	requirements, err := os.ReadFile(goMod)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		target + ".info": info, target + ".mod": requirements, filepath.Join(filepath.Dir(target), "list"): []byte(m.Version + "\n"),
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := os.Create(target + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.Create(archive, m, contents(t, source, goMod)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
}

// contents returns the files of a module, with goMod in place of its go.mod. Like the go command, it adds
// the license of the repository if the module has none.
func contents(t *testing.T, source, goMod string) []zip.File {
	t.Helper()
	checked, err := zip.CheckDir(source)
	if err == nil {
		err = checked.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	var files []zip.File
	for _, path := range checked.Valid {
		name, err := filepath.Rel(source, path)
		if err != nil {
			t.Fatal(err)
		}
		f := file{filepath.ToSlash(name), path}
		if name == "go.mod" {
			f.source = goMod
		}
		files = append(files, f)
	}
	if !slices.Contains(checked.Valid, filepath.Join(source, "LICENSE")) {
		files = append(files, file{"LICENSE", filepath.Join(root, "LICENSE")})
	}
	return files
}

// file is a file of an archive.
type file struct{ name, source string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.source) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.source) }
