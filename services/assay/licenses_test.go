package main

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/process/modules"
)

// programs lists the packages that are shipped as programs.
var programs = []string{".", "../ingest/cmd/ingest", "../analyzer/cmd/analyzer", "../query/cmd/query"}

// builds are the ways in which programs are built: all of them in the workspace, by go run and go install, and each with
// the versions that its own module requires, by deploy/build.
var builds = []struct {
	dir, workspace string
	packages       []string
}{
	{".", "", programs}, {".", "off", []string{"."}},
	{"../ingest", "off", []string{"./cmd/ingest"}}, {"../analyzer", "off", []string{"./cmd/analyzer"}}, {"../query", "off", []string{"./cmd/query"}},
}

// termsFile matches files that must accompany the code next to them.
var termsFile = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying|^copyright|^notice|^patents|^authors`)

// TestModuleLicenses compares the embedded licenses and notices with those of the modules that the
// programs link on all platforms, however they are built.
func TestModuleLicenses(t *testing.T) {
	const file = "../../pkg/process/modules/modules.txt.gz"
	texts := map[string]map[string]bool{} // license texts by module, from the directories of its packages up to its root
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, build := range builds {
			for line := range strings.Lines(linked(t, build.dir, build.workspace, system, build.packages)) {
				fields := strings.Split(strings.TrimSpace(line), "\t")
				if len(fields) != 4 || strings.HasPrefix(fields[0], "github.com/assay-project/") {
					continue
				}
				name := fields[0] + " " + fields[1]
				if texts[name] == nil {
					texts[name] = map[string]bool{}
				}
				for dir := fields[3]; ; dir = filepath.Dir(dir) {
					maps.Copy(texts[name], terms(t, dir))
					if dir == fields[2] {
						break
					}
				}
			}
		}
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	texts[modules.Go] = terms(t, strings.TrimSpace(string(root)))
	names := map[string][]string{} // modules by license text
	for name, of := range texts {
		if len(of) == 0 {
			t.Errorf("%s has no license; remove the module", name)
		}
		text := strings.Join(slices.Sorted(maps.Keys(of)), "\n\n")
		names[text] = append(names[text], name)
	}
	var sections []modules.Section
	for text, of := range names {
		slices.Sort(of)
		sections = append(sections, modules.Section{Modules: of, Text: text})
	}
	slices.SortFunc(sections, func(a, b modules.Section) int { return cmp.Compare(a.Modules[0], b.Modules[0]) })
	packed, err := modules.Format(sections)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, packed, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var listed []string
	for _, s := range modules.All() {
		listed = append(listed, s.Modules...)
	}
	for name := range texts {
		if !slices.Contains(listed, name) {
			t.Errorf("%s is linked but not listed", name)
		}
	}
	for _, name := range listed {
		if texts[name] == nil {
			t.Errorf("%s is listed but not linked", name)
		}
	}
	if got, err := modules.Format(modules.All()); err != nil || !bytes.Equal(got, packed) {
		t.Errorf("%s is out of date (%v): go test ./services/assay -run ModuleLicenses -update", file, err)
	}
}

// linked lists the packages that programs link, each with the path, version and folder of its module, and its folder.
func linked(t *testing.T, dir, workspace, system string, packages []string) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}\t{{.Dir}}"}, packages...)...)
	list.Dir = dir
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK="+workspace) // the race detector needs cgo
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v in %s: %v: %s", list, dir, err, stderr.String())
	}
	return string(out)
}

// terms returns the texts of the terms files in a directory.
func terms(t *testing.T, dir string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		if entry.Type().IsRegular() && termsFile.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
			content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found[strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n"))] = true
		}
	}
	return found
}
