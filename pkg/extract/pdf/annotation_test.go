package pdf_test

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// TestAnnotations checks the texts of form fields and annotations that have no appearance (ISO 32000-1, sections 12.5
// and 12.7).
func TestAnnotations(t *testing.T) {
	const field = "/Subtype/Widget/DA(/F1 12 Tf 0 g)/T(a)/Rect[72 600 300 620]/F 4"
	for annotation, want := range map[string]string{
		field + "/FT/Tx/V(plain)":                                                                               "plain",
		field + "/FT/Tx/V<FEFF004D00FC006C006C00650072>":                                                        "Müller",
		field + "/FT/Tx/Parent<</FT/Tx/V(inherited)>>":                                                          "inherited",
		field + "/FT/Ch/Ff 131072/Opt[[(k1)(first label)][(k2)(other)]]/V(k1)":                                  "first label",
		field + "/FT/Ch/Opt[(one)(two)(three)]/V[(one)(three)]":                                                 "one\ntwo\nthree",
		field + "/FT/Ch/Ff 393216/Opt[(one)]/V(typed in)":                                                       "typed in",
		"/Subtype/FreeText/Contents(free text)/DA(/F1 12 Tf)/Rect[72 500 300 520]":                              "free text",
		"/Subtype/Text/Contents(a note)/Rect[72 500 90 520]":                                                    "a note",
		"/Subtype/Highlight/Contents(a comment)/QuadPoints[72 730 150 730 72 718 150 718]/Rect[72 718 150 730]": "a comment",
		field + "/FT/Tx/Ff 8192/V(a password)":                                                                  "**********",
		"/Subtype/Widget/FT/Tx/T(a)/V(hidden)/Rect[72 600 300 620]/F 2":                                         "",
		"/Subtype/Text/Contents(hidden)/Rect[72 500 90 520]/F 2":                                                "",
	} {
		for _, appearances := range []bool{true, false} {
			got, err := read(t, wasmtest.PDF{Pages: []string{"page"}, Annotation: annotation, NeedAppearances: appearances}.Bytes())
			if want := strings.TrimSpace("page\n"+want) + "\f"; err != nil || got != want {
				t.Errorf("%s, NeedAppearances %t: got %q, error %v, want %q", annotation, appearances, got, err, want)
			}
		}
	}
}

// TestFieldsAreDrawn checks that a picture contains the value of a field without an appearance.
func TestFieldsAreDrawn(t *testing.T) {
	const field = "/Subtype/Widget/FT/Tx/T(a)/V(MMMMMMMM)/DA(/F1 40 Tf 0 g)/Rect[0 0 612 792]/F 4"
	d := mustOpen(t, wasmtest.PDF{Pages: []string{""}, Annotation: field, NeedAppearances: true})
	m, err := d.Picture(0, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range m.Pix {
		if v != 255 {
			return
		}
	}
	t.Error("the picture is blank")
}

// TestTextOfAppearanceIsNotRepeated checks that a value that the appearance shows is read once.
func TestTextOfAppearanceIsNotRepeated(t *testing.T) {
	text, err := mustOpen(t, wasmtest.PDF{Pages: []string{"page"}, Fields: map[string]string{"city": "Bern"}}).Text(pdf.TextLimits{})
	if want := "page\nBern\f"; err != nil || text.Text != want {
		t.Errorf("got %q, error %v, want %q", text.Text, err, want)
	}
}
