// Package lifecycle declares the states and moves of an area and makes each move as one
// conditional write. The declaration is the write condition: no move is checked in memory only,
// so two workers never both make the same move.
package lifecycle

import (
	"fmt"
	"slices"
	"strings"
)

// State is the name of a state as it is stored and shown.
type State string

// Move is a named step from one of several states to another.
type Move struct {
	Name string
	From []State
	To   State
	// Writes lists the attributes that the move may write besides the state and the fence. Nil means any.
	Writes []string
	// Explicit marks a move that is made only on request, such as a retry. Only an explicit move
	// leaves a final state.
	Explicit bool
}

// Machine describes the states and moves of an area.
type Machine struct {
	Area   string
	Status string // the attribute that contains the state
	Start  State
	Final  []State // the states in which processing has ended
	Moves  []Move
	// Updates are writes that do not move an item. They have a name and Writes only.
	Updates []Move
}

// IsFinal reports whether processing has ended in state s.
func (m Machine) IsFinal(s State) bool { return slices.Contains(m.Final, s) }

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

// Validate returns an error if the machine has no status attribute, two moves
// of the same name, a move without a start state, a state that no move leads
// to, or a final state that a move leaves without being explicit.
func (m Machine) Validate() error {
	if m.Status == "" {
		return fmt.Errorf("%s: no status attribute", m.Area)
	}
	reached := map[State]bool{m.Start: true}
	names := map[string]bool{}
	for _, move := range m.Moves {
		switch {
		case names[move.Name]:
			return fmt.Errorf("%s: two moves are named %s", m.Area, move.Name)
		case len(move.From) == 0:
			return fmt.Errorf("%s: the move %s has no start state", m.Area, move.Name)
		case !move.Explicit && slices.ContainsFunc(move.From, m.IsFinal):
			return fmt.Errorf("%s: the move %s leaves a final state and is not explicit", m.Area, move.Name)
		}
		names[move.Name] = true
		reached[move.To] = true
	}
	for _, update := range m.Updates {
		if names[update.Name] || len(update.From) > 0 || update.Writes == nil {
			return fmt.Errorf("%s: the update %s has the name of a move, a start state, or no list of attributes", m.Area, update.Name)
		}
		names[update.Name] = true
	}
	for _, state := range slices.Concat(m.States(), m.Final) {
		if !reached[state] {
			return fmt.Errorf("%s: no move leads to %s", m.Area, state)
		}
	}
	return nil
}

// Table returns a Markdown table of the attributes that each move and update may write.
func (m Machine) Table() string {
	var b strings.Builder
	b.WriteString("| move | attributes besides the state and the fence |\n|---|---|\n")
	for _, move := range slices.Concat(m.Moves, m.Updates) {
		if move.Writes == nil {
			continue
		}
		name := move.Name
		if len(move.From) == 0 {
			name += " (in any state)"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(move.Writes, ", "))
	}
	return b.String()
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
	for _, final := range m.Final {
		fmt.Fprintf(&b, "    %s --> [*]\n", final)
	}
	return b.String()
}
