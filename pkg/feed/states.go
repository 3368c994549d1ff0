// Package feed is the area of short texts from outside: their states and moves,
// the items of the table sentiment-items-primary, the store of both, and the rows
// and reads of the table sentiment-items-dashboard.
package feed

import "github.com/assay-project/assay/pkg/lifecycle"

// The states of an item.
const (
	Pending  lifecycle.State = "pending"  // accepted; sentiment, score and model version are placeholders
	Analyzed lifecycle.State = "analyzed" // final
)

// analyze is the one move. It needs no fence: nothing leads back to pending, so
// that of two workers only one can make it.
var analyze = lifecycle.Move{Name: "analyze", From: []lifecycle.State{Pending}, To: Analyzed}

// Machine is the table of moves, for docs and tests.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{Area: "feed", Start: Pending, Moves: []lifecycle.Move{analyze}}
}
