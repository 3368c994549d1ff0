package reason

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// TestClass checks which sentences are faults, as an item stores them: filled, after the name of a step, with a detail, or
// several in one text.
func TestClass(t *testing.T) {
	for text, want := range map[string]event.DeadClass{
		"the analysis crashed in 3 attempts; this is a defect in Assay, not in the content": event.DeadCrashed,
		"gave up after 1 attempt; in the last one, the worker died or lost its connection":  event.DeadCrashed,
		"the analysis took longer than 1m0s in 3 attempts":                                  event.DeadTimeout,
		"the analysis did not succeed in 12 attempts":                                       event.DeadOther,
		"text: the bucket no longer contains the bytes of the file":                         event.DeadMissing,
		`the provider "gemini" is not configured`:                                           event.DeadConfiguration,
		"the provider responded with 503: overloaded; retry":                                event.DeadUnavailable,
		"the result cannot be stored; this is a defect in Assay, not in the content":        event.DeadRejected,
		"text: the document is damaged; thumbnails: the converter does not respond":         event.DeadUnavailable,
		"runtime error: index out of range":                                                 event.DeadOther,

		"the content is not text: it looks like a PDF document":                  "",
		"text: the document is password-protected":                               "",
		"parse: the document is damaged: it has no part \"a.xml\"":               "",
		"the document crashed its parser":                                        "",
		"text: the document is damaged; thumbnails: the picture cannot be read":  "",
		"no record can be read; the first error: RDKit cannot read the molecule": "",
		"the server responded with 404":                                          "", // of an imported page
	} {
		if got := Class(text); got != want || Fault(text) != (want != "") {
			t.Errorf("Class(%q) = %q, Fault = %t; want %q", text, got, Fault(text), want)
		}
	}
}

// TestTemporaryIsFault checks that every sentence about something that may pass is a fault, except that of a feed source, and that the class of every
// listed fault is found by its text.
func TestTemporaryIsFault(t *testing.T) {
	temporary := []error{reason.ConverterUnavailable, reason.EngineClosed, reason.EngineNotReady, reason.EngineMissing}
	for _, s := range sentences {
		if _, ok := errors.AsType[Temporary](s); ok && !errors.Is(s, FeedStatus) {
			temporary = append(temporary, s)
		}
	}
	filled := strings.NewReplacer("%d", "7", "%s", "x y", "%q", `"x"`)
	for _, s := range temporary {
		if !Fault(filled.Replace(s.Error())) {
			t.Errorf("%q is no fault", s)
		}
	}
	for _, f := range faults {
		if got := Class(filled.Replace(f.sentence.Error())); got != f.class {
			t.Errorf("Class(%q) = %q, want %q", f.sentence, got, f.class)
		}
	}
}
