package lifecycle_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
)

var update = flag.Bool("update", false, "write docs/states.md anew")

// machines lists every area. A new one is added here.
func machines() []lifecycle.Machine { return []lifecycle.Machine{textfile.Machine(), feed.Machine()} }

func TestEveryMachineIsValid(t *testing.T) {
	for _, m := range machines() {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestStatesDocumentIsWhatTheMachinesDraw(t *testing.T) {
	const path = "../../docs/states.md"
	var want strings.Builder
	want.WriteString("# States and moves\n\n" +
		"Drawn from the tables of moves in the code, which are also the write conditions.\n" +
		"After a change: `go test ./pkg/lifecycle -run StatesDocument -update`.\n")
	for _, m := range machines() {
		fmt.Fprintf(&want, "\n## %s\n\n```mermaid\n%s```\n", m.Area, m.Mermaid())
	}
	if *update {
		if err := os.WriteFile(path, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("docs/states.md is out of date (run the test with -update); it should be\n%s", want.String())
	}
}
