// Package lifecycle is the life of an item: the states and moves of an area in
// one table, and the conditional write that makes a move. The table is the
// write condition. No move is checked in memory only, so that two workers can
// never both make one.
package lifecycle

import (
	"fmt"
	"slices"
	"strings"
)

// State is a state's name as it is stored and shown.
type State string

// Move is a named step from one of several states to another.
type Move struct {
	Name string
	From []State
	To   State
}

// Machine is the states and moves of an area.
type Machine struct {
	Area  string
	Start State
	Moves []Move
}

// States lists every state, the start first, in the order of the moves.
func (m Machine) States() []State {
	states := []State{m.Start}
	add := func(s State) {
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	for _, move := range m.Moves {
		for _, from := range move.From {
			add(from)
		}
		add(move.To)
	}
	return states
}

// Validate returns an error when the machine has two moves of one name, a move
// from nowhere, or a state that nothing leads to.
func (m Machine) Validate() error {
	reached := map[State]bool{m.Start: true}
	names := map[string]bool{}
	for _, move := range m.Moves {
		switch {
		case names[move.Name]:
			return fmt.Errorf("%s: two moves are named %s", m.Area, move.Name)
		case len(move.From) == 0:
			return fmt.Errorf("%s: the move %s starts nowhere", m.Area, move.Name)
		}
		names[move.Name] = true
		reached[move.To] = true
	}
	for _, state := range m.States() {
		if !reached[state] {
			return fmt.Errorf("%s: no move leads to %s", m.Area, state)
		}
	}
	return nil
}

// Mermaid draws the machine as a Mermaid state diagram.
func (m Machine) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", m.Start)
	for _, move := range m.Moves {
		for _, from := range move.From {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, move.To, move.Name)
		}
	}
	return b.String()
}
