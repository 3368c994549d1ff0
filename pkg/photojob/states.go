// Package photojob is the area of photos that a provider describes and edits: the
// states and moves of a job, the items of the table photoeditor-{env}-jobs, the ledger
// of calls to providers that each item carries, batches of jobs, and the store of all.
package photojob

import "github.com/assay-project/assay/pkg/lifecycle"

// Name names the area in subjects, ids, logs and metrics.
const Name = "photojob"

// The states of a job.
const (
	Queued     lifecycle.State = "QUEUED"     // created; the upload may not be finished
	Processing lifecycle.State = "PROCESSING" // a worker reads the upload
	Editing    lifecycle.State = "EDITING"    // a provider has been called, or is about to be
	Completed  lifecycle.State = "COMPLETED"  // has the edited photo
	Failed     lifecycle.State = "FAILED"     // has the error
)

// The moves of a job. Every one of them is conditioned on its From states and on the
// updatedAt that the writer has read.
var (
	claim    = lifecycle.Move{Name: "claim", From: []lifecycle.State{Queued}, To: Processing}
	takeOver = lifecycle.Move{Name: "takeOver", From: []lifecycle.State{Processing}, To: Processing}
	begin    = lifecycle.Move{Name: "begin", From: []lifecycle.State{Processing}, To: Editing}
	resume   = lifecycle.Move{Name: "resume", From: []lifecycle.State{Editing}, To: Editing}
	complete = lifecycle.Move{Name: "complete", From: []lifecycle.State{Editing}, To: Completed}
	fail     = lifecycle.Move{Name: "fail", From: []lifecycle.State{Queued, Processing, Editing}, To: Failed}
	cancel   = lifecycle.Move{Name: "cancel", From: []lifecycle.State{Queued, Processing, Editing}, To: Failed, Explicit: true}
	retry    = lifecycle.Move{Name: "retry", From: []lifecycle.State{Failed}, To: Queued, Explicit: true}
)

// Machine returns the states and moves of a job. They are also the conditions of its
// writes.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: Name, Status: statusName, Start: Queued, Final: []lifecycle.State{Completed, Failed},
		Moves: []lifecycle.Move{claim, takeOver, begin, resume, complete, fail, cancel, retry},
	}
}

// Final reports whether only a retry or a delete changes the job.
func (j Job) Final() bool { return Machine().IsFinal(j.Status) }
