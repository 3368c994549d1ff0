package release_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/assay-project/assay/deploy/release"
)

// root is the root of the repository, relative to this package.
const root = "../.."

// library is a module that the programs of the fixture link, with a license in package modules.
const library = "github.com/google/uuid"

// version is the version of the fixture's release.
const version = "v0.1.0-rc.1"

// program is the source of the fixture's programs. They say what a release asks, and link one module.
const program = `package main

import (
	"fmt"
	"os"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/process"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "licenses" {
		fmt.Println("The web app contains the npm package @preact/signals, version 2.11.4, under this license (MIT):")
		return
	}
	if len(os.Args) > 2 {
		fmt.Printf("{\"version\":%q,\"commit\":%q,\"date\":%q,\"embedded\":[{\"name\":\"pdfium\",\"version\":\"2.1.13\",\"kind\":\"program\",\"source\":\"pkg:npm/%%40hyzyla/pdfium@2.1.13\"}]}\n",
			process.Release(), process.Commit(), process.Date())
		return
	}
	fmt.Println("assay", process.Release(), uuid.Nil)
}
`

const process = `package process

var release, commit, date string

func Release() string { return release }
func Commit() string  { return commit }
func Date() string    { return date }
`

// repository creates a git repository in a new folder, with small programs in place of the real ones. Its scripts are the
// real ones.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	goMod, err := os.ReadFile(filepath.Join(root, "services/assay/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(parsed.Require, func(r *modfile.Require) bool { return r.Mod.Path == library })
	if i < 0 {
		t.Fatalf("assay does not require %s: choose another module", library)
	}
	requires := "require " + library + " " + parsed.Require[i].Mod.Version + "\n"
	files := map[string]string{
		"pkg/go.mod": "module github.com/assay-project/assay/pkg\n\ngo 1.26.0\n", "pkg/process/process.go": process,
	}
	for _, copied := range []string{"deploy/build", "deploy/compile", "LICENSE", "README.md", "CHANGELOG.md", "services/assay/go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, copied))
		if err != nil {
			t.Fatal(err)
		}
		files[copied] = string(content)
	}
	for _, name := range []string{"ingest", "analyzer", "query", "assay"} {
		files["services/"+name+"/go.mod"] = "module github.com/assay-project/assay/services/" + name + "\n\ngo 1.26.0\n\n" + requires +
			"require github.com/assay-project/assay/pkg v0.0.0\n\nreplace github.com/assay-project/assay/pkg => ../../pkg\n"
		files["services/"+name+"/go.sum"] = files["services/assay/go.sum"]
		files["services/"+name+"/main.go"] = program
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), files[name])
	}
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "Release")
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(content, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, output)
	}
}

// made is a release.
type made struct {
	dir     string // the files
	version string
	source  string // the repository
	log     string
}

// base returns the name of an archive without its ending.
func (m made) base(target release.Target) string {
	return "assay_" + m.version + "_" + target.OS + "_" + target.Arch
}

// program returns the program in the archive of a target.
func (m made) program(t *testing.T, target release.Target) []byte {
	t.Helper()
	if target.OS == "windows" {
		return unzip(t, m.file(t, m.base(target)+".zip"))[m.base(target)+"/assay.exe"]
	}
	return untar(t, m.file(t, m.base(target)+".tar.gz"))[m.base(target)+"/assay"]
}

// makeRelease makes a release of a repository.
func makeRelease(t *testing.T, source string, change func(*release.Config)) made {
	t.Helper()
	m := made{dir: filepath.Join(t.TempDir(), "dist"), version: version, source: source}
	var log bytes.Buffer
	cfg := release.Config{Root: source, Version: version, Commit: "HEAD", Out: m.dir, Targets: release.Targets, Images: true, Log: &log}
	if change != nil {
		change(&cfg)
	}
	if err := release.Run(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	m.log = log.String()
	return m
}

// file returns a file of the release.
func (m made) file(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
