package install

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/assay-project/assay/services/assay/test/release"
)

// root is the root of the repository, relative to this package.
const root = "../../../.."

// proxy creates a module proxy in a temporary folder, with a release of all modules at the version, and
// returns its URL.
func proxy(t *testing.T, version string) string {
	t.Helper()
	modules, err := release.Modules(root)
	if err != nil {
		t.Fatal(err)
	}
	released, dir := t.TempDir(), t.TempDir()
	var tags []string
	for _, m := range modules {
		clone(t, filepath.Join(m.Dir, "go.mod"), released)
		tags = append(tags, m.Dir+"/"+version)
	}
	clone(t, filepath.Join("services", "assay", "test", "go.mod"), released) // named in go.work
	clone(t, "go.work", released)
	if printed, err := release.Write(released, version); err != nil || !slices.Equal(printed, tags) {
		t.Fatalf("Write() = %v, %v, want the tags %v", printed, err, tags)
	}
	for _, m := range modules {
		publish(t, dir, module.Version{Path: m.Path, Version: version}, filepath.Join(root, m.Dir), filepath.Join(released, m.Dir, "go.mod"))
	}
	return "file://" + filepath.ToSlash(dir)
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
