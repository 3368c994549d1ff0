// Package textfile is the area of text files: their states and moves, the
// items of the table text-analyzer-history, and their store.
package textfile

import "github.com/assay-project/assay/pkg/lifecycle"

// Name is the name of the area in subjects, ids, logs and metrics.
const Name = "textfile"

// The states of a file.
const (
	Pending    lifecycle.State = "PENDING"     // reserved; the upload may not be finished
	InProgress lifecycle.State = "IN_PROGRESS" // a worker is analyzing it
	Completed  lifecycle.State = "COMPLETED"   // has a Result
	Failed     lifecycle.State = "FAILED"      // has an ErrorMessage
)

// The moves of a file. Each is conditional on its From states and on the updatedAt that its writer
// read.
var (
	claim    = lifecycle.Move{Name: "claim", From: []lifecycle.State{Pending}, To: InProgress}
	takeOver = lifecycle.Move{Name: "takeOver", From: []lifecycle.State{InProgress}, To: InProgress}
	complete = lifecycle.Move{Name: "complete", From: []lifecycle.State{InProgress}, To: Completed}
	fail     = lifecycle.Move{Name: "fail", From: []lifecycle.State{Pending, InProgress}, To: Failed}
	retry    = lifecycle.Move{Name: "retry", From: []lifecycle.State{Failed}, To: Pending, Explicit: true}
	// reanalyze is a retry of a file that was read in a wrong charset. The next move removes the result.
	reanalyze = lifecycle.Move{Name: "reanalyze", From: []lifecycle.State{Completed}, To: Pending, Explicit: true}
)

// Machine returns the states and moves of a file. They are also the conditions of
// its writes.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: Name, Status: statusName, Start: Pending, Final: []lifecycle.State{Completed, Failed},
		Moves: []lifecycle.Move{claim, takeOver, complete, fail, retry, reanalyze},
	}
}

// Final reports whether only a retry or a delete can change the file.
func (f File) Final() bool { return Machine().IsFinal(f.Status) }
