package release_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/assay-project/assay/deploy/release"
)

// testComponents compares the components of each program with the modules that "go version -m" prints, and checks the
// others.
func testComponents(t *testing.T, m made) {
	for _, target := range release.Targets {
		others := m.components(t, target)
		if want := []string{"pkg:npm/%40hyzyla/pdfium@2.1.13", "pkg:npm/%40preact/signals@2.11.4"}; !slices.Equal(others, want) {
			t.Errorf("%s: got the other components %q, want %q", target, others, want)
		}
	}
}

// components compares the Go components of a program with the modules that "go version -m" prints, and returns the package
// URLs of its other components.
func (m made) components(t *testing.T, target release.Target) (others []string) {
	t.Helper()
	var list cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(m.file(t, m.base(target)+".cdx.json")), cdx.BOMFileFormatJSON).Decode(&list); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "assay")
	if err := os.WriteFile(program, m.program(t, target), 0o644); err != nil {
		t.Fatal(err)
	}
	got, others := goComponents(list)
	if want := goModules(t, program, m.version); !slices.Equal(got, want) {
		t.Errorf("%s: got the Go components %q, want %q", target, got, want)
	}
	return others
}

// goComponents returns the Go modules of a list, each as path and version, and the package URLs of the other components, such as
// files of a Go module that is not linked, whose references end with a name.
func goComponents(list cdx.BOM) (modules, others []string) {
	for _, c := range append([]cdx.Component{*list.Metadata.Component}, *list.Components...) {
		path, isGo := strings.CutPrefix(c.PackageURL, "pkg:golang/")
		if !isGo || strings.Contains(c.BOMRef, "#") {
			others = append(others, c.PackageURL)
			continue
		}
		path, version, _ := strings.Cut(path, "@")
		modules = append(modules, path+" "+version)
	}
	slices.Sort(modules)
	slices.Sort(others)
	return modules, others
}

// goModules returns the modules that "go version -m" prints for a program, each as path and version, and the standard
// library. Those of the repository have the version of the release.
func goModules(t *testing.T, program, version string) []string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		switch {
		case len(modules) == 0: // the first line is "FILE: go1.26.8"
			modules = append(modules, "stdlib "+fields[1])
		case len(fields) < 3 || fields[0] != "mod" && fields[0] != "dep":
		case strings.HasPrefix(fields[1], "github.com/assay-project/assay/"):
			modules = append(modules, fields[1]+" "+version)
		default:
			modules = append(modules, fields[1]+" "+fields[2])
		}
	}
	slices.Sort(modules)
	return modules
}

// The files of a release of the real programs, which .ci/release makes.
var (
	realDir     = flag.String("release.dir", "", "`folder` with a release, whose components are compared with its programs")
	realVersion = flag.String("release.version", "", "`version` of this release")
)

// TestRealComponents compares the components of a release of the real programs with "go version -m", and with the engines
// that the program contains.
func TestRealComponents(t *testing.T) {
	if *realDir == "" {
		t.Skip("-release.dir names no release; .ci/release makes one")
	}
	for _, target := range release.Targets {
		m := made{dir: *realDir, version: *realVersion}
		if _, err := os.Stat(filepath.Join(m.dir, m.base(target)+".cdx.json")); errors.Is(err, os.ErrNotExist) {
			continue
		}
		others := m.components(t, target)
		for _, want := range []string{"pkg:npm/%40hyzyla/pdfium@", "pkg:npm/%40rdkit/rdkit@", "pkg:npm/%40resvg/resvg-wasm@", "pkg:npm/libheif-js@", "pkg:golang/github.com/gen2brain/avif@", "pkg:npm/preact@", "pkg:npm/redoc@"} {
			if !slices.ContainsFunc(others, func(c string) bool { return strings.HasPrefix(c, want) }) {
				t.Errorf("%s: got the components %q, want %s… among them", target, others, want)
			}
		}
	}
}
