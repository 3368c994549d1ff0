// Package photojob is the area of photos that a provider describes and edits. It defines the states
// and moves of a job, the items of the table photoeditor-{env}-jobs, the ledger of provider calls in
// each item, batches of jobs, and the store.
package photojob

import "github.com/assay-project/assay/pkg/lifecycle"

// Name is the name of the area in subjects, ids, logs and metrics.
const Name = "photojob"

// The states of a job.
const (
	Queued     lifecycle.State = "QUEUED"     // created; the upload may not be finished
	Processing lifecycle.State = "PROCESSING" // a worker reads the upload
	Editing    lifecycle.State = "EDITING"    // a provider has been called, or is about to be
	Completed  lifecycle.State = "COMPLETED"  // has the edited photo
	Failed     lifecycle.State = "FAILED"     // has an error
)

// The moves of a job. Each requires one of its From states and the updatedAt that the writer has read.
var (
	claim    = lifecycle.Move{Name: "claim", From: []lifecycle.State{Queued}, To: Processing, Writes: []string{"processingStartedAt"}}
	takeOver = lifecycle.Move{Name: "takeOver", From: []lifecycle.State{Processing}, To: Processing, Writes: []string{}}
	begin    = lifecycle.Move{Name: "begin", From: []lifecycle.State{Processing}, To: Editing, Writes: []string{callsName}}
	resume   = lifecycle.Move{Name: "resume", From: []lifecycle.State{Editing}, To: Editing, Writes: []string{callsName, "analysisResult", "error", "degraded", "editResult", "provider"}}
	complete = lifecycle.Move{Name: "complete", From: []lifecycle.State{Editing}, To: Completed, Writes: []string{callsName, "analysisResult", "error", "degraded", "editResult", "provider", "s3FinalKey", "processingCompletedAt"}}
	fail     = lifecycle.Move{Name: "fail", From: []lifecycle.State{Queued, Processing, Editing}, To: Failed, Writes: []string{"error", "processingCompletedAt"}}
	cancel   = lifecycle.Move{Name: "cancel", From: []lifecycle.State{Queued, Processing, Editing}, To: Failed, Explicit: true, Writes: []string{"error", "processingCompletedAt"}}
	retry    = lifecycle.Move{Name: "retry", From: []lifecycle.State{Failed}, To: Queued, Explicit: true, Writes: []string{callsName, "prompt", "options", "provider", "error", "processingStartedAt", "processingCompletedAt", "analysisResult"}}
)

// recordOutcome counts a call whose job has ended or was taken over.
var recordOutcome = lifecycle.Move{Name: "recordCallOutcome", Writes: []string{callsName}}

// Machine returns the states and moves of a job, which are also the conditions of its writes.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: Name, Status: statusName, Start: Queued, Final: []lifecycle.State{Completed, Failed},
		Moves: []lifecycle.Move{claim, takeOver, begin, resume, complete, fail, cancel, retry}, Updates: []lifecycle.Move{recordOutcome},
	}
}

// Final reports whether the job is in a final state. Only a retry or a delete changes such a job.
func (j Job) Final() bool { return Machine().IsFinal(j.Status) }
