package reason

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/reason/reasontest"
)

// TestOf checks that the sentence of an error never contains the text of its cause.
func TestOf(t *testing.T) {
	stack := errors.New("wasm error: out of bounds memory access\nwasm stack trace:\n\t.$3624(i32)")
	for want, err := range map[string]error{
		"the document crashed its parser":                           fmt.Errorf("%w (PDFium): %w", reason.DocumentCrashed, stack),
		"the picture is too large: 30 bytes; the limit is 20":       fmt.Errorf("inspect: %w", reason.PictureTooLarge.With(reason.BytesLimit, 30, 20)),
		"the provider's response cannot be used":                    fmt.Errorf("%w: %w", ProviderAnswer, reason.PictureTooSmall.With(reason.SidesMinimum, 1, 1, 16)),
		"files of type Text have no records":                        NoRecordType.Fill("Text"),
		`the document is damaged: it has no part "a.xml"`:           reason.DocumentDamaged.With(reason.NoPart, "a.xml"),
		"the content cannot be processed":                           stack,
		"text: the document is damaged; the picture cannot be read": Recorded("text: the document is damaged; the picture cannot be read"),
	} {
		got := Of(err)
		if got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
		if !Listed(got) {
			t.Errorf("%q is not in the list", got)
		}
	}
	for _, text := range []string{stack.Error(), "the document is damaged: zip: not a valid zip file", "", "html: open stack of elements exceeds 512 nodes"} {
		if Listed(text) || Of(Recorded(text)) != Unknown.Error() {
			t.Errorf("%q is in the list", text)
		}
	}
}

// TestErrors checks that packages can compare errors with a Reason, and that only permanent reasons end an item.
func TestErrors(t *testing.T) {
	filled := reason.PictureTooLarge.With(reason.BytesLimit, 2, 1)
	if !errors.Is(filled, reason.PictureTooLarge) || errors.Is(filled, reason.PictureTooSmall) {
		t.Error("an error with a detail does not match only its Reason")
	}
	for err, want := range map[error]bool{filled: true, PageUnavailable: false, errors.New("dial tcp"): false} {
		if Permanent(err) != want {
			t.Errorf("Permanent(%v) = %t, want %t", err, !want, want)
		}
	}
}

// TestListIsComplete checks that every sentence and detail of this package is in its list.
func TestListIsComplete(t *testing.T) {
	var listed []string
	for _, s := range sentences {
		listed = append(listed, s.Error())
	}
	for _, d := range details {
		listed = append(listed, string(d))
	}
	reasontest.Complete(t, "list.go", listed)
}
