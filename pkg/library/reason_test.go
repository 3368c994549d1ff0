package library_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/library"
)

func TestWithoutSteps(t *testing.T) {
	for message, want := range map[string]string{
		"text: the document is not a PDF, or is damaged":       "the document is not a PDF, or is damaged",
		"thumbnails: out of time; text: the font is missing":   "out of time; the font is missing",
		"chunk/00012: the row has 3 cells; and others":         "the row has 3 cells; and others",
		"the column text: is empty":                            "the column text: is empty",
		"the file is empty":                                    "the file is empty",
		"text: the document is damaged: it ends at byte 1; ab": "the document is damaged: it ends at byte 1; ab",
		"": "",
	} {
		if got := library.WithoutSteps(message); got != want {
			t.Errorf("WithoutSteps(%q) = %q, want %q", message, got, want)
		}
	}
}
