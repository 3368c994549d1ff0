package library

import (
	"testing"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/step/model"
)

// TestEveryStepIsImplemented checks that the steps of all formats have an implementation, and that unknown types and
// steps have none, so that a newer worker can process them.
func TestEveryStepIsImplemented(t *testing.T) {
	all := newSteps(Config{}, nil, nil, nil, nil, nil, nil, model.Environment{})
	used := map[extract.Method]bool{}
	for _, f := range append(extract.Formats(), library.FormatOf(library.ModelType), library.FormatOf(library.PredictionType)) {
		for _, planned := range f.Steps {
			used[planned.Method] = true
			if found, ok := all.of(&event.LibraryStep{Type: string(f.Type), Step: planned.Name}); !ok || found.Run == nil || found.Time == 0 {
				t.Errorf("%s has no implementation of step %s (%s)", f.Type, planned.Name, planned.Method)
			}
		}
		if _, ok := all.of(&event.LibraryStep{Type: string(f.Type), Step: "chunk/00000"}); ok != (len(f.Records) > 0 || f.Type == library.PredictionType) {
			t.Errorf("%s: processes chunks of records: %t, want %t", f.Type, ok, !ok)
		}
	}
	for method := range all.methods {
		if !used[method] {
			t.Errorf("no format uses the method %s", method)
		}
	}
	for _, unknown := range []*event.LibraryStep{{Type: "Future", Step: extract.StepMetadata}, {Type: string(extract.Text), Step: "future"}} {
		if _, ok := all.of(unknown); ok {
			t.Errorf("step %s of type %s has an implementation, want none", unknown.Step, unknown.Type)
		}
	}
}
