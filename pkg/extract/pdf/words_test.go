package pdf_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// TestWordsWithoutSpaces checks that words whose distance is less than the width of a space are separated, and that a
// letter-spaced word is not split. In Helvetica, the width of "accepts" is 3.446 times the font size, and that of "a"
// 0.556 times (Adobe's metrics of the standard fonts).
func TestWordsWithoutSpaces(t *testing.T) {
	for contents, want := range map[string]string{
		"BT /F1 12 Tf 72 720 Td (accepts) Tj 42.852 0 Td (a) Tj 8.172 0 Td (molecule) Tj ET": "accepts a molecule\f",
		"BT /F1 12 Tf 1.5 Tc 72 720 Td (TITLE) Tj ET":                                        "TITLE\f",
	} {
		got, err := read(t, wasmtest.PDF{Pages: []string{""}, Contents: contents}.Bytes())
		if err != nil || got != want {
			t.Errorf("got %q, error %v, want %q", got, err, want)
		}
	}
}
