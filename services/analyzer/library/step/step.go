// Package step defines the steps of the library's workflows.
//
// A step of a workflow is a Step. To add one, write a package beside this one with a function that returns the
// Step, list it in the table of services/analyzer/library/steps.go, and add its plan to library.Plans. Packages of
// steps write no tables and publish no events: the area does both with the result of Run.
package step

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/library"
)

// Step is one step of a workflow.
type Step struct {
	// Time bounds an attempt, and Rate adds the time for the bytes of the file, in bytes per second; 0 adds
	// none.
	Time time.Duration
	Rate int64
	// Run runs the step. It may be called again with the same file after a crash, and then stores the same objects
	// again. An error of Permanent fails the step at once; other errors are retried.
	Run func(ctx context.Context, f *File) (Result, error)
}

// Bounds returns the limits of one attempt at a file of size bytes.
func (s Step) Bounds(size int64) bus.Bounds {
	b := bus.Bounds{Time: s.Time}
	if s.Rate > 0 {
		b.Time += time.Duration(float64(max(size, 0)) / float64(s.Rate) * float64(time.Second)).Round(time.Second)
	}
	return b
}

// Result is the result of a step.
type Result struct {
	// Skipped is the reason why there was nothing to do, for the file's owner; empty for a step that was done. A
	// skipped step does not make a file partial.
	Skipped string
	// Partial says what the step omitted, for the file's owner; empty if nothing. A partial step makes a file
	// partial.
	Partial string
	// Engine is the name and version of the engine of the step, such as "pdfium 7350".
	Engine string
	// Key is the key of the main result, such as the text. Optional.
	Key string
	// Metadata is added to the metadata of the file, in the types of JSON. Steps of one workflow use
	// different names.
	Metadata map[string]any
	// Images are stored with the file immediately.
	Images []library.Image
	// Chunks and Records are set by library.StepParse: how many steps library.ChunkStep the file gets,
	// and how many records were found.
	Chunks  int
	Records int64
}

// Permanent returns an error that a retry cannot fix, with a text for the file's owner.
func Permanent(format string, args ...any) error { return bus.Permanent(fmt.Errorf(format, args...)) }
