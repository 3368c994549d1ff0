// Package linecount is the area of line counts, an example of an area with an upload and one step: the lines of an
// uploaded text are counted.
package linecount

import "github.com/assay-project/assay/pkg/lifecycle"

// Name is the name of the area in subjects, ids, logs and metrics.
const Name = "linecount"

// The states of an item.
const (
	Pending    lifecycle.State = "PENDING"     // reserved; the upload may not be finished
	InProgress lifecycle.State = "IN_PROGRESS" // a worker counts the lines
	Completed  lifecycle.State = "COMPLETED"   // has a number of lines
	Failed     lifecycle.State = "FAILED"      // has an ErrorMessage
)

var (
	claim    = lifecycle.Move{Name: "claim", From: []lifecycle.State{Pending, InProgress}, To: InProgress}
	complete = lifecycle.Move{Name: "complete", From: []lifecycle.State{InProgress}, To: Completed}
	fail     = lifecycle.Move{Name: "fail", From: []lifecycle.State{Pending, InProgress}, To: Failed}
	retry    = lifecycle.Move{Name: "retry", From: []lifecycle.State{Failed}, To: Pending, Explicit: true}
)

// Machine returns the states and moves of an item, which are also the conditions of its writes.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: Name, Status: "status", Start: Pending, Final: []lifecycle.State{Completed, Failed},
		Moves: []lifecycle.Move{claim, complete, fail, retry},
	}
}
