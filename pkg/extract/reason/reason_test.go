package reason_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/reason/reasontest"
)

// TestFind checks that the sentence is the outermost one, without the text of its cause.
func TestFind(t *testing.T) {
	cause := errors.New("wasm error: out of bounds memory access")
	for want, test := range map[string]struct {
		err           error
		permanent, ok bool
	}{
		"the document crashed its parser":                      {fmt.Errorf("%w (PDFium): %w", reason.DocumentCrashed, cause), true, true},
		"the document crashed its parser: the limit is 2s":     {reason.DocumentCrashed.With(reason.TimeLimit, "2s"), true, true},
		"the first row cannot be read: no column":              {fmt.Errorf("read: %w", reason.FirstRow.Fill("no column")), true, true},
		"the engine is closed":                                 {fmt.Errorf("%w: %w", reason.EngineClosed, reason.DocumentSlow), false, true},
		"the converter does not respond: the limit is 1 hours": {reason.ConverterUnavailable.With(reason.TimeLimit, "1 hours"), false, true},
		"": {cause, false, false},
	} {
		text, permanent, ok := reason.Find(test.err)
		if text != want || permanent != test.permanent || ok != test.ok {
			t.Errorf("Find(%v) = %q, permanent %t, %t; want %q, %t, %t", test.err, text, permanent, ok, want, test.permanent, test.ok)
		}
	}
	if filled := reason.EngineClosed.Fill(); !errors.Is(filled, reason.EngineClosed) || errors.Is(filled, reason.EngineMissing) {
		t.Error("a sentence with values does not match only its constant")
	}
}

// TestListIsComplete checks that Sentences and Details return every constant.
func TestListIsComplete(t *testing.T) {
	listed := reason.Sentences()
	for _, d := range reason.Details() {
		listed = append(listed, string(d))
	}
	reasontest.Complete(t, "list.go", listed)
}
