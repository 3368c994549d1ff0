package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// door is a small machine: it has a move from two states, a loop, and an end.
func door() lifecycle.Machine {
	return lifecycle.Machine{Area: "door", Start: "SHUT", Moves: []lifecycle.Move{open, knock, brick}}
}

var (
	open  = lifecycle.Move{Name: "open", From: []lifecycle.State{"SHUT"}, To: "OPEN"}
	knock = lifecycle.Move{Name: "knock", From: []lifecycle.State{"SHUT"}, To: "SHUT"}
	brick = lifecycle.Move{Name: "brick", From: []lifecycle.State{"SHUT", "OPEN"}, To: "WALL"}
)

func TestMachineDrawsItself(t *testing.T) {
	const want = `stateDiagram-v2
    [*] --> SHUT
    SHUT --> OPEN: open
    SHUT --> SHUT: knock
    SHUT --> WALL: brick
    OPEN --> WALL: brick
`
	if got := door().Mermaid(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMachineListsItsStates(t *testing.T) {
	if got := door().States(); !slices.Equal(got, []lifecycle.State{"SHUT", "OPEN", "WALL"}) {
		t.Errorf("got %v", got)
	}
}

func TestValidate(t *testing.T) {
	if err := door().Validate(); err != nil {
		t.Error(err)
	}
	for want, moves := range map[string][]lifecycle.Move{
		"two moves are named open":       {open, {Name: "open", From: []lifecycle.State{"OPEN"}, To: "SHUT"}},
		"the move appear starts nowhere": {{Name: "appear", To: "OPEN"}},
		"no move leads to AJAR":          {open, {Name: "push", From: []lifecycle.State{"AJAR"}, To: "OPEN"}},
	} {
		m := lifecycle.Machine{Area: "door", Start: "SHUT", Moves: moves}
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "door") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
