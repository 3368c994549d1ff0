package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// door returns a small machine with a move from two states, a loop, and a final
// state.
func door() lifecycle.Machine {
	return lifecycle.Machine{
		Area: "door", Status: "status", Start: "SHUT", Final: []lifecycle.State{"WALL"}, Moves: []lifecycle.Move{open, knock, brick},
	}
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
    WALL --> [*]
`
	if got := door().Mermaid(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMachineListsItsStates(t *testing.T) {
	if got := door().States(); !slices.Equal(got, []lifecycle.State{"SHUT", "OPEN", "WALL"}) {
		t.Errorf("got %v, want SHUT, OPEN and WALL", got)
	}
}

func TestValidate(t *testing.T) {
	if err := door().Validate(); err != nil {
		t.Error(err)
	}
	breach := lifecycle.Move{Name: "breach", From: []lifecycle.State{"WALL"}, To: "OPEN"}
	asked := breach
	asked.Explicit = true
	for want, m := range map[string]lifecycle.Machine{
		"two moves are named open":           {Status: "status", Moves: []lifecycle.Move{open, {Name: "open", From: []lifecycle.State{"OPEN"}, To: "SHUT"}}},
		"the move appear has no start state": {Status: "status", Moves: []lifecycle.Move{{Name: "appear", To: "OPEN"}}},
		"no move leads to AJAR":              {Status: "status", Moves: []lifecycle.Move{open, {Name: "push", From: []lifecycle.State{"AJAR"}, To: "OPEN"}}},
		"no move leads to DUST":              {Status: "status", Final: []lifecycle.State{"DUST"}, Moves: []lifecycle.Move{open}},
		"no status attribute":                {Moves: []lifecycle.Move{open}},
		"breach leaves a final state":        {Status: "status", Final: []lifecycle.State{"WALL"}, Moves: []lifecycle.Move{open, brick, breach}},
	} {
		m.Area, m.Start = "door", "SHUT"
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "door") || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that contains %q", err, want)
		}
	}
	m := door()
	m.Moves = append(m.Moves, asked)
	if err := m.Validate(); err != nil {
		t.Errorf("an explicit move from a final state: got error %v, want nil", err)
	}
}

// TestUndeclaredAttribute checks that a move that lists its attributes writes no others, of any kind of change.
func TestUndeclaredAttribute(t *testing.T) {
	value := &types.AttributeValueMemberN{Value: "1"}
	paint := lifecycle.Move{Name: "paint", Writes: []string{"color"}}
	m := door()
	m.Updates = []lifecycle.Move{paint}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	for name, item := range map[string]lifecycle.Item{
		"set":    {Set: lifecycle.Image{"color": value, "knob": value}},
		"put":    {Put: []lifecycle.Member{{Path: []string{"knob", "side"}, Value: value}}},
		"remove": {Remove: []string{"knob"}},
		"add":    {Add: lifecycle.Image{"knob": value}},
		"delete": {Delete: lifecycle.Image{"knob": value}},
	} {
		// No database is needed, because the write is not sent.
		if _, err := m.Apply(t.Context(), nil, paint, lifecycle.Write{Items: []lifecycle.Item{item}}); err == nil || !strings.Contains(err.Error(), "paint") || !strings.Contains(err.Error(), "knob") {
			t.Errorf("%s: got error %v, want one with the move paint and the attribute knob", name, err)
		}
	}
	for want, update := range map[string]lifecycle.Move{
		"the name of a move": {Name: "open", Writes: []string{}}, "no list of attributes": {Name: "wash"},
	} {
		m.Updates = []lifecycle.Move{update}
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that contains %q", err, want)
		}
	}
	m.Updates = []lifecycle.Move{paint}
	if got := m.Table(); !strings.HasSuffix(got, "|---|---|\n| paint (in any state) | color |\n") {
		t.Errorf("got the table %q, want the update paint with the attribute color", got)
	}
}

func TestIsFinal(t *testing.T) {
	for state, want := range map[lifecycle.State]bool{"SHUT": false, "OPEN": false, "WALL": true, "DUST": false} {
		if got := door().IsFinal(state); got != want {
			t.Errorf("IsFinal(%s) = %t, want %t", state, got, want)
		}
	}
}
