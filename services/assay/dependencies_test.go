package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestProgramsLinkNoTests checks that no program links packages that only tests, benchmarks and
// generators need. Test helpers import package testing.
func TestProgramsLinkNoTests(t *testing.T) {
	const generator = "github.com/mmcloughlin/avo"
	for _, program := range programs {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		packages := strings.Fields(string(out))
		if !slices.Contains(packages, "github.com/assay-project/assay/pkg/process") {
			t.Fatalf("%s links %d packages without process, want process among them", program, len(packages))
		}
		for _, path := range packages {
			if path == "testing" || strings.Contains(path, "/services/assay/test/") || strings.HasPrefix(path, generator) {
				t.Errorf("%s links %s, want no such package", program, path)
			}
		}
	}
}
