package extract_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
)

func TestDetect(t *testing.T) {
	var picture, gifPicture bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black})
	if err := png.Encode(&picture, m); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&gifPicture, m, nil); err != nil {
		t.Fatal(err)
	}
	const archive = "From: <Saved by Blink>\nMIME-Version: 1.0\nContent-Type: multipart/related; type=\"text/html\"; boundary=b\n\n" +
		"--b\nContent-Type: text/html\n\n<p>a\n--b--\n"
	for _, c := range []struct {
		name, head string
		want       extract.Kind
	}{
		{"a.png", picture.String(), extract.Kind{MediaType: "image/png", Type: "Image"}},
		{"A.PNG", picture.String(), extract.Kind{MediaType: "image/png", Type: "Image"}},
		{"a.gif", gifPicture.String(), extract.Kind{MediaType: "image/gif", Type: "Image"}},
		{"without extension", picture.String(), extract.Kind{MediaType: "image/png", Type: "Image"}},
		{"a.docx", picture.String(), extract.Kind{MediaType: "image/png", Type: "Image", Finding: "the name ends in .docx, but the content is image/png"}},
		{"a.png", "Hello\n", extract.Kind{MediaType: "text/plain", Type: "Text", Finding: "the name ends in .png, but the content is text/plain"}},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`, extract.Kind{MediaType: "image/svg+xml", Type: "Image"}},
		{"a.bin", "\x00\x01\x02\x03", extract.Kind{MediaType: "application/octet-stream", Type: "Generic"}},
		{"page", archive, extract.Kind{MediaType: "multipart/related", Type: "WebPage"}},
		{"page.mht", archive, extract.Kind{MediaType: "multipart/related", Type: "WebPage"}},
		{"page.mhtml", "<!DOCTYPE html><p>a", extract.Kind{MediaType: "text/html", Type: "WebPage"}},
		{"mail.eml", "To: a@example.com\n" + archive, extract.Kind{MediaType: "message/rfc822", Type: "Text"}},
		{"", "", extract.Kind{MediaType: "text/plain", Type: "Text"}},
		{"a.csv", "", extract.Kind{MediaType: "text/plain", Type: "Table"}},
		{"a.html", "", extract.Kind{MediaType: "text/plain", Type: "WebPage"}},
		{"a.pdf", "", extract.Kind{MediaType: "text/plain", Type: "Pdf"}},
		{"a.py", "", extract.Kind{MediaType: "text/plain", Type: "Text"}},
	} {
		if got := extract.Detect([]byte(c.head), c.name); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestSignatures checks that text in a scientific format, or in MHTML, is recognized by its signature.
func TestSignatures(t *testing.T) {
	for want, head := range map[extract.Type]string{
		"Chemical": "water\n  program\n\n  3  2  0  0  0  0            999 V2000\n",
		"Reaction": "$RXN\n\n\n\n  1  1\n",
		"Spectrum": "##TITLE= ethanol\n##JCAMP-DX= 4.24\n",
		"Crystal":  "data_quartz\n_cell_length_a 4.913\n",
		"WebPage":  "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b; type=\"text/html\"\n\n--b\n",
		"":         "name,size\na,1\n",
	} {
		got := extract.Type("")
		for _, f := range extract.Formats() {
			if f.Signature != nil && f.Signature([]byte(head)) {
				got = f.Type
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}
