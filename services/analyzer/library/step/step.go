// Package step defines the steps of the library's workflows.
//
// To add a step, write a package next to this one with a function that returns the Step, add an extract.Method for it, which
// the formats in extract.Formats can name, and list it in services/analyzer/library/steps.go. Step packages do not write
// tables or publish events: the area does both with the result of Run.
package step

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/library"
)

// Step is one step of a workflow.
type Step struct {
	// Time bounds an attempt. Rate, in bytes per second, adds time for the bytes of the file; 0 adds
	// none.
	Time time.Duration
	Rate int64
	// Run runs the step. After a crash it may be called again with the same file, and must then store the same
	// objects again. An error with a reason.Reason that is permanent fails the step immediately; other errors are
	// retried.
	Run func(ctx context.Context, f *File) (Result, error)
}

// Bounds returns the limits of an attempt at a file of size bytes.
func (s Step) Bounds(size int64) bus.Bounds {
	b := bus.Bounds{Time: s.Time}
	if s.Rate > 0 {
		b.Time += time.Duration(float64(max(size, 0)) / float64(s.Rate) * float64(time.Second)).Round(time.Second)
	}
	return b
}

// Result is the result of a step.
type Result struct {
	// Skipped is the reason why the step had nothing to do. It is nil for a completed step. A skipped step does not make
	// a file partial. Users see its reason.Reason.
	Skipped error
	// Partial is the reason why the step omitted something. It is nil if nothing was omitted. A partial step makes a file
	// partial. Users see its reason.Reason.
	Partial error
	// Engine is the name and version of the engine of the step, such as "pdfium 2.1.13".
	Engine string
	// Key is the key of the main result, such as the text. Optional.
	Key string
	// Metadata is added to the metadata of the file, as JSON types. Steps of one workflow use
	// different names.
	Metadata map[string]any
	// Images are stored with the file immediately.
	Images []library.Image
	// Chunks and Records are set by extract.StepParse: the number of steps library.ChunkStep that
	// the file needs, and the number of records found.
	Chunks  int
	Records int64
}
