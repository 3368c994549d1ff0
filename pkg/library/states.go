// Package library is the area of files in a tree of folders. The type of a file determines its workflow, whose steps
// run in parallel.
package library

import "github.com/assay-project/assay/pkg/lifecycle"

// Name is the name of the area in subjects, ids, logs and metrics.
const Name = "library"

// The states of a file.
const (
	Loading            lifecycle.State = "Loading"    // reserved; the upload may not have finished
	Loaded             lifecycle.State = "Loaded"     // the content is stored and the steps are known
	Parsing            lifecycle.State = "Parsing"    // its records are being located
	Parsed             lifecycle.State = "Parsed"     // the steps of its records are also known
	Processing         lifecycle.State = "Processing" // all steps have been published
	Processed          lifecycle.State = "Processed"
	ProcessedPartially lifecycle.State = "ProcessedPartially" // an optional step or some records failed
	Failed             lifecycle.State = "Failed"             // a required step failed; an error is set
)

// Created is the only state of folders and roots.
const Created lifecycle.State = "Created"

// Moves of a file. Each is conditional on its From states and on the run that the caller has read; retry and
// reprocess begin a new run.
var (
	store             = lifecycle.Move{Name: "store", From: []lifecycle.State{Loading}, To: Loaded}
	startParsing      = lifecycle.Move{Name: "startParsing", From: []lifecycle.State{Loaded}, To: Parsing}
	finishParsing     = lifecycle.Move{Name: "finishParsing", From: []lifecycle.State{Parsing}, To: Parsed}
	startProcessing   = lifecycle.Move{Name: "startProcessing", From: []lifecycle.State{Loaded, Parsed}, To: Processing}
	complete          = lifecycle.Move{Name: "complete", From: []lifecycle.State{Processing}, To: Processed}
	completePartially = lifecycle.Move{Name: "completePartially", From: []lifecycle.State{Processing}, To: ProcessedPartially}
	fail              = lifecycle.Move{Name: "fail", From: []lifecycle.State{Loading, Loaded, Parsing, Parsed, Processing}, To: Failed}
	retry             = lifecycle.Move{Name: "retry", From: []lifecycle.State{Failed, ProcessedPartially}, To: Loaded, Explicit: true}
	reprocess         = lifecycle.Move{Name: "reprocess", From: []lifecycle.State{Processed}, To: Loaded, Explicit: true}
)

// Updates of a file, its node and its workflow, in any state.
var (
	finishStep = lifecycle.Move{Name: "finishStep", Writes: append(ofWorkflows(
		"republished", "stepsOpen", "stepsDone", "stepsFailed", "stepsSkipped", "stepResults",
		"thumbnailCompleted", "parseCompleted", "metadataCompleted", "indexingCompleted",
		"optimizationCompleted", "trainingCompleted", "reportCompleted",
	), updatedName, "images")}
	openStep = lifecycle.Move{Name: "openStep", Writes: ofWorkflows("stepsOpen")}
	postpone = lifecycle.Move{Name: "postpone", Writes: ofWorkflows("republished")}
	identify = lifecycle.Move{Name: "identify", Writes: append(ofWorkflows("fileWorkflowType", "etag", "stepsOpen"),
		updatedName, typeName, "length", "md5", "origin", "contentType", "subType", "blob")}
	erase = lifecycle.Move{Name: "erase", Writes: []string{
		updatedName, versionName, updatedByName, parentIDName, isDeletedName, typeOwnedByName, "trashedFrom",
	}}
	edit = lifecycle.Move{Name: "edit", Writes: []string{
		updatedName, versionName, updatedByName, parentIDName, isDeletedName, typeOwnedByName, "trashedFrom", "deletedDateTime",
		"name", "displayName", "fileName", "accessPermissions", "firstName", "lastName", "loginName", "email", "avatar",
	}}
)

// ofWorkflows returns attributes of a workflow, and those that every write of one sets.
func ofWorkflows(names ...string) []string {
	return append(names, workflowUpdatedAt, "deadline", versionName)
}

// Machine returns the states and moves of a file. They are also the conditions of its writes.
func Machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: Name, Status: statusName, Start: Loading, Final: []lifecycle.State{Processed, ProcessedPartially, Failed},
		Moves:   []lifecycle.Move{store, startParsing, finishParsing, startProcessing, complete, completePartially, fail, retry, reprocess},
		Updates: []lifecycle.Move{finishStep, openStep, postpone, identify, erase, edit},
	}
}
