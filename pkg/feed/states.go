// Package feed is the area of short texts from external sources: their states and moves, the items
// of the table sentiment-items-primary and their store, and the schema of both tables.
package feed

import "github.com/assay-project/assay/pkg/lifecycle"

// Name is the name of the area in subjects, ids, logs and metrics.
const Name = "feed"

// The states of an item.
const (
	Pending  lifecycle.State = "pending"  // accepted; sentiment, score and model version are placeholders
	Analyzed lifecycle.State = "analyzed" // final
)

// The moves. Each is conditional on the item not having been analyzed since it was read, so that a slow
// worker cannot overwrite a newer analysis. There is no state for a given-up item: it stays pending, with
// the reason, until a retry removes the reason or the analysis succeeds.
var (
	analyze   = lifecycle.Move{Name: "analyze", From: []lifecycle.State{Pending}, To: Analyzed}
	giveUp    = lifecycle.Move{Name: "giveUp", From: []lifecycle.State{Pending}, To: Pending}
	retry     = lifecycle.Move{Name: "retry", From: []lifecycle.State{Pending}, To: Pending}
	reanalyze = lifecycle.Move{Name: "reanalyze", From: []lifecycle.State{Analyzed}, To: Pending, Explicit: true}
)

// Machine returns the states and moves of an item. They are also the conditions of its writes.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: Name, Status: AttrStatus, Start: Pending, Final: []lifecycle.State{Analyzed},
		Moves: []lifecycle.Move{analyze, giveUp, retry, reanalyze},
	}
}
