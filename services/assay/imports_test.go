package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers lists the folders of pkg and services from the bottom up, as docs/architecture.md draws them. A package imports
// only packages of lower layers, and of its own folder.
var layers = [][]string{
	{"pkg/config", "pkg/dynamolite", "pkg/event", "pkg/extract", "pkg/fair", "pkg/obs", "pkg/outage", "pkg/tag"},
	{"pkg/blob", "pkg/bus", "pkg/reason", "pkg/subscriber", "pkg/table", "pkg/terms", "pkg/web"},
	{"pkg/audit", "pkg/backend", "pkg/guard", "pkg/lifecycle", "pkg/process", "pkg/upload"},
	{"pkg/area"},
	{"pkg/platform"},
	{"pkg/checkpoint", "pkg/identity", "pkg/quota", "pkg/saved", "pkg/sweep", "pkg/webhook"},
	{"pkg/<area>"},
	{"pkg/service"},
	{"services/analyzer", "services/ingest", "services/query"},
	{"services/assay"},
}

// TestImportsPointDown checks that every package of the product is in a layer and imports only lower ones, and that the
// picture in docs/architecture.md has these layers.
func TestImportsPointDown(t *testing.T) {
	layer := map[string]int{}
	var drawn []string
	for n, folders := range layers {
		for _, folder := range folders {
			layer[folder] = n
		}
		drawn = append(drawn, strings.Join(folders, " "))
	}
	for _, a := range areas(t) {
		layer["pkg/"+a.Name] = layer["pkg/<area>"]
	}
	for _, module := range []string{"../../pkg", "../../pkg/event", "../../pkg/subscriber", "../../pkg/extract", "../../pkg/dynamolite", "../ingest", "../analyzer", "../query", "."} {
		for _, line := range packages(t, module) {
			names := strings.Fields(line)
			if strings.HasSuffix(names[0], "test") { // packages for tests
				continue
			}
			from := folderOf(names[0])
			level, known := layer[from]
			if !known {
				t.Errorf("%s is in no layer", names[0])
				continue
			}
			for _, name := range names[1:] {
				to := folderOf(name)
				if to != "" && to != from && layer[to] >= level {
					t.Errorf("%s imports %s, which is not in a lower layer", names[0], name)
				}
			}
		}
	}
	document, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(drawn)
	if want := "```text\n" + strings.Join(drawn, "\n") + "\n```\n"; !strings.Contains(string(document), want) {
		t.Errorf("docs/architecture.md does not draw these layers:\n%s", want)
	}
}

// packages returns the path of each package of a module, followed by its imports.
func packages(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return strings.Split(strings.TrimSpace(string(printed)), "\n")
}

// folderOf returns the folder of a package in pkg or services, or "" for a package of another repository.
func folderOf(name string) string {
	path, ours := strings.CutPrefix(name, repository)
	if !ours {
		return ""
	}
	parts := strings.Split(path, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}
