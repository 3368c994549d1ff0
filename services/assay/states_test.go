package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/setup"
)

// areas returns the description of every area, with default table names.
func areas(t *testing.T) []area.Area {
	t.Helper()
	cfg, err := config.Load[setup.Config]([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"})
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Areas()
}

func TestEveryMachineIsValid(t *testing.T) {
	for _, a := range areas(t) {
		if err := a.Machine.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestStatesDocument(t *testing.T) {
	var want strings.Builder
	want.WriteString("# States and moves\n\n" +
		"Generated from the moves that each area declares, which are also the conditions of its writes.\n" +
		"After a change: `go test ./services/assay -run StatesDocument -update`.\n")
	for _, a := range areas(t) {
		fmt.Fprintf(&want, "\n## %s\n\n```mermaid\n%s```\n", a.Name, a.Machine.Mermaid())
		if table := a.Machine.Table(); strings.Count(table, "\n") > 2 {
			want.WriteString("\n" + table)
		}
	}
	compareDocument(t, "../../docs/states.md", want.String())
}

// compareDocument compares a generated document with its file, or writes the file with -update.
func compareDocument(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date (run the test with -update); it should be\n%s", path, want)
	}
}
