package photo_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/photo/sample"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// everything is the default configuration of the analyzer.
var everything = photo.Config{Limits: pixels.Default, Faces: true}

func newStudio(t *testing.T, cfg photo.Config) *photo.Studio {
	t.Helper()
	return photo.New(pixels.NewDecoder(budget.New(1<<30), wasm.Config{}), cfg)
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestEditIsDeterministic checks that the pixels of every edit are those that were reviewed when
// their checksums were recorded, on every processor, and that the encoded bytes are the same in
// every run. A change to a checksum requires a new Version.
func TestEditIsDeterministic(t *testing.T) {
	s, data := newStudio(t, everything), pngOf(t, scene.New(320, 240, 9))
	for prompt, want := range golden {
		first := edit(t, s, data, photo.Request{Prompt: prompt})
		second := edit(t, s, data, photo.Request{Prompt: prompt})
		if !bytes.Equal(first.Image, second.Image) {
			t.Errorf("%q: two runs returned different bytes, want equal bytes", prompt)
		}
		m, err := png.Decode(bytes.NewReader(first.Image))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(m.(*image.RGBA).Pix))[:16]; got != want {
			t.Errorf("%q: got checksum %q, want %q", prompt, got, want)
		}
	}
}

// TestPersons checks that the steps that need a person produce the pixels that were reviewed when
// their checksums were recorded, and are skipped without a person.
func TestPersons(t *testing.T) {
	s := newStudio(t, everything)
	for prompt, want := range map[string]string{
		"remove background":            "0a27cc8d76b7bc5e",
		"background turquoise, as png": "98b72664bb5276ba",
		"blur background, as png":      "9bda4f13934d302c",
		"crop 1:2 to subject, as png":  "133d84403c08f608",
	} {
		e := edit(t, s, sample.Portrait(t), photo.Request{Prompt: prompt})
		m, err := png.Decode(bytes.NewReader(e.Image))
		if err != nil || e.Format != "png" || e.Degraded != "" {
			t.Fatalf("%q: got %s, degraded %q, %v, want png without omissions", prompt, e.Format, e.Degraded, err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(pix(m)))[:16]; got != want {
			t.Errorf("%q: got checksum %q, want %q", prompt, got, want)
		}
	}
	for prompt, degraded := range map[string]string{
		"remove background": "remove background: no person", "background #102030": "background: no person",
		"blur background": "blur background: no person", "crop 1:1 to subject": "no subject: the center was used",
	} {
		e := edit(t, s, jpegOf(t, scene.New(320, 240, 9)), photo.Request{Prompt: prompt})
		if e.Degraded != degraded || e.Format != "jpeg" {
			t.Errorf("%q: got %s, degraded %q, want jpeg, %q", prompt, e.Format, e.Degraded, degraded)
		}
	}
	if e := edit(t, s, sample.Portrait(t), photo.Request{Prompt: "remove background, as jpeg"}); e.Format != "jpeg" {
		t.Errorf("got format %s, want jpeg", e.Format)
	}
}

func pix(m image.Image) []byte {
	if m, ok := m.(*image.NRGBA); ok {
		return m.Pix
	}
	return m.(*image.RGBA).Pix
}

func jpegOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func edit(t *testing.T, s *photo.Studio, data []byte, r photo.Request) photo.Edited {
	t.Helper()
	e, err := s.Edit(t.Context(), data, r)
	if err != nil {
		t.Fatalf("%q: %v", r.Prompt, err)
	}
	return e
}

// TestEdit covers sizes, formats, options, and the report of steps that were not applied.
func TestEdit(t *testing.T) {
	s, data := newStudio(t, everything), pngOf(t, scene.New(320, 240, 9))
	for name, test := range map[string]struct {
		request  photo.Request
		size     image.Point
		format   string
		degraded string
	}{
		"empty":                    {photo.Request{}, image.Pt(320, 240), "png", ""},
		"crop":                     {photo.Request{Prompt: "crop 1:1, as jpeg"}, image.Pt(240, 240), "jpeg", ""},
		"crop upright":             {photo.Request{Prompt: "crop 9:16"}, image.Pt(135, 240), "png", ""},
		"no face":                  {photo.Request{Prompt: "crop 1:1 to faces"}, image.Pt(240, 240), "png", "no face: the center was used"},
		"fit":                      {photo.Request{Prompt: "rotate 90, fit 100x100, as webp"}, image.Pt(75, 100), "webp", ""},
		"not enlarged":             {photo.Request{Prompt: "resize 4000"}, image.Pt(320, 240), "png", "not enlarged: the photo has 320 × 240 pixels"},
		"partly understood":        {photo.Request{Prompt: "sepia, add a Cat, blue sky"}, image.Pt(320, 240), "png", "not understood: add a Cat; blue sky"},
		"options":                  {photo.Request{Format: "jpeg", Width: 100, AspectRatio: "1:1"}, image.Pt(100, 100), "jpeg", ""},
		"prompt overrides options": {photo.Request{Prompt: "fit 200 and as webp", Format: "jpeg", Width: 100}, image.Pt(200, 150), "webp", ""},
		"invalid ratio":            {photo.Request{AspectRatio: "wide"}, image.Pt(320, 240), "png", "not understood: aspect ratio wide"},
	} {
		t.Run(name, func(t *testing.T) {
			e := edit(t, s, data, test.request)
			info, err := pixels.Inspect(e.Image, pixels.Default)
			if err != nil {
				t.Fatal(err)
			}
			if size := image.Pt(e.Width, e.Height); size != test.size || size != image.Pt(info.Width, info.Height) {
				t.Errorf("got %v, and %d × %d in the file; want %v", size, info.Width, info.Height, test.size)
			}
			if string(e.Format) != test.format || string(info.Format) != test.format || e.Degraded != test.degraded {
				t.Errorf("got %s, in the file %s, degraded %q; want %s, %q", e.Format, info.Format, e.Degraded, test.format, test.degraded)
			}
		})
	}
}

// TestFaces checks that one face is found, labeled, and in the center of the crop.
func TestFaces(t *testing.T) {
	s, data := newStudio(t, everything), sample.Portrait(t)
	a, err := s.Describe(t.Context(), data, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Labels) == 0 || a.Labels[0].Name != "portrait" || a.Labels[0].Confidence < 0.85 || !strings.HasPrefix(a.Text, "An upright portrait, sharp, mostly gray") {
		t.Errorf("got %+v, want an upright portrait, sharp, mostly gray", a)
	}
	e := edit(t, s, data, photo.Request{Prompt: "crop 1:1 to faces"})
	if e.Degraded != "" || e.Width != 240 || e.Height != 240 {
		t.Errorf("got %d × %d, degraded %q, want 240 × 240 without omissions", e.Width, e.Height, e.Degraded)
	}
	a, err = s.Describe(t.Context(), e.Image, false) // the face is still in the picture
	if err != nil || !slices.ContainsFunc(a.Labels, func(l photo.Label) bool { return l.Name == "portrait" }) {
		t.Errorf("analysis of the crop: got %+v, %v, want the label portrait", a, err)
	}
}
