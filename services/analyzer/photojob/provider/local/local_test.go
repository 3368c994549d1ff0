package local_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/engines"
	"github.com/assay-project/assay/services/analyzer/budget"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local/sample"
	"github.com/assay-project/assay/services/analyzer/pixels"
	"github.com/assay-project/assay/services/analyzer/pixels/scene"
)

// everything is the default configuration of the analyzer.
var everything = local.Config{Limits: pixels.Default, Objects: true}

func newProvider(t *testing.T, cfg local.Config) provider.Provider {
	t.Helper()
	p, err := local.New(pixels.NewDecoder(budget.New(1<<30), engines.Config{}), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
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
// every run. A change to a checksum requires a new local.Version.
func TestEditIsDeterministic(t *testing.T) {
	p, photo := newProvider(t, everything), pngOf(t, scene.New(320, 240, 9))
	for prompt, want := range golden {
		first := edit(t, p, provider.Call{Image: photo, Prompt: prompt})
		second := edit(t, p, provider.Call{Image: photo, Prompt: prompt})
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
	p := newProvider(t, everything)
	for prompt, want := range map[string]string{
		"remove background":            "8d293f990337c026",
		"background turquoise, as png": "90b6944c515fc657",
		"blur background, as png":      "9486e9731978679c",
		"crop 1:2 to subject, as png":  "ffccae741c92f457",
	} {
		e := edit(t, p, provider.Call{Image: sample.Portrait(t), Prompt: prompt})
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
		"blur background": "blur background: no person", "crop 1:1 to subject": "no subject",
	} {
		e := edit(t, p, provider.Call{Image: jpegOf(t, scene.New(320, 240, 9)), Prompt: prompt})
		if e.Degraded != degraded || e.Format != "jpeg" {
			t.Errorf("%q: got %s, degraded %q, want jpeg, %q", prompt, e.Format, e.Degraded, degraded)
		}
	}
	if e := edit(t, p, provider.Call{Image: sample.Portrait(t), Prompt: "remove background, as jpeg"}); e.Format != "jpeg" {
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

func edit(t *testing.T, p provider.Provider, c provider.Call) provider.Edited {
	t.Helper()
	e, usage, err := p.Edit(t.Context(), c)
	if err != nil {
		t.Fatalf("%q: %v", c.Prompt, err)
	}
	if usage != (provider.Usage{Model: local.Version}) {
		t.Fatalf("%q: got usage %+v, want no cost", c.Prompt, usage)
	}
	return e
}

// TestEdit covers sizes, formats, options, and the report of steps that were not applied.
func TestEdit(t *testing.T) {
	p, photo := newProvider(t, everything), pngOf(t, scene.New(320, 240, 9))
	for name, test := range map[string]struct {
		call     provider.Call
		size     image.Point
		format   string
		degraded string
	}{
		"empty":                    {provider.Call{Image: photo}, image.Pt(320, 240), "png", ""},
		"crop":                     {provider.Call{Image: photo, Prompt: "crop 1:1, as jpeg"}, image.Pt(240, 240), "jpeg", ""},
		"crop upright":             {provider.Call{Image: photo, Prompt: "crop 9:16"}, image.Pt(135, 240), "png", ""},
		"no face":                  {provider.Call{Image: photo, Prompt: "crop 1:1 to faces"}, image.Pt(240, 240), "png", "no face"},
		"fit":                      {provider.Call{Image: photo, Prompt: "rotate 90, fit 100x100, as webp"}, image.Pt(75, 100), "webp", ""},
		"not enlarged":             {provider.Call{Image: photo, Prompt: "resize 4000"}, image.Pt(320, 240), "png", "not enlarged: the photo has 320 × 240 pixels"},
		"partly understood":        {provider.Call{Image: photo, Prompt: "sepia, add a Cat, blue sky"}, image.Pt(320, 240), "png", "not understood: add a Cat; blue sky"},
		"options":                  {provider.Call{Image: photo, Options: provider.Options{Format: "jpeg", Width: 100, AspectRatio: "1:1"}}, image.Pt(100, 100), "jpeg", ""},
		"prompt overrides options": {provider.Call{Image: photo, Prompt: "fit 200 and as webp", Options: provider.Options{Format: "jpeg", Width: 100}}, image.Pt(200, 150), "webp", ""},
		"invalid ratio":            {provider.Call{Image: photo, Options: provider.Options{AspectRatio: "wide"}}, image.Pt(320, 240), "png", "not understood: aspect ratio wide"},
	} {
		t.Run(name, func(t *testing.T) {
			e := edit(t, p, test.call)
			info, err := pixels.Inspect(e.Image, pixels.Default)
			if err != nil {
				t.Fatal(err)
			}
			if size := image.Pt(e.Width, e.Height); size != test.size || size != image.Pt(info.Width, info.Height) {
				t.Errorf("got %v, and %d × %d in the file; want %v", size, info.Width, info.Height, test.size)
			}
			if e.Format != test.format || string(info.Format) != test.format || e.Degraded != test.degraded {
				t.Errorf("got %s, in the file %s, degraded %q; want %s, %q", e.Format, info.Format, e.Degraded, test.format, test.degraded)
			}
		})
	}
}

// TestErrors checks that errors are permanent and not billed.
func TestErrors(t *testing.T) {
	p, photo := newProvider(t, everything), pngOf(t, scene.New(320, 240, 9))
	for code, call := range map[string]provider.Call{
		provider.PromptNotUnderstood: {Image: photo, Prompt: "put a hat on the dog"},
		provider.UnsupportedFormat:   {Image: []byte("GIF89a of the dog")},
		provider.ImageUnreadable:     {Image: photo[:len(photo)/2]},
		provider.ImageTooLarge:       {Image: append(photo[:len(photo):len(photo)], make([]byte, pixels.Default.Bytes)...)},
	} {
		_, _, err := p.Edit(t.Context(), call)
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Class != provider.Permanent || e.Code != code || e.Billed != provider.NotBilled {
			t.Errorf("got error %v, want a permanent %s, not billed", err, code)
		}
		if code == provider.PromptNotUnderstood && !strings.Contains(err.Error(), "crop W:H") {
			t.Errorf("got error %v, want it to list the instructions", err)
		}
	}
}

// TestFaces checks that one face is found, labeled, and in the center of the crop.
func TestFaces(t *testing.T) {
	p, photo := newProvider(t, everything), sample.Portrait(t)
	a, _, err := p.Analyze(t.Context(), provider.Call{Image: photo})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Labels) == 0 || a.Labels[0].Name != "portrait" || a.Labels[0].Confidence < 0.9 || !strings.HasPrefix(a.Description, "An upright portrait, sharp, mostly white") {
		t.Errorf("got %+v, want an upright portrait, sharp, mostly white", a)
	}
	e := edit(t, p, provider.Call{Image: photo, Prompt: "crop 1:1 to faces"})
	if e.Degraded != "" || e.Width != 320 || e.Height != 320 {
		t.Errorf("got %d × %d, degraded %q, want 320 × 320 without omissions", e.Width, e.Height, e.Degraded)
	}
	a, _, err = p.Analyze(t.Context(), provider.Call{Image: e.Image}) // the face is still in the picture
	if err != nil || !slices.ContainsFunc(a.Labels, func(l provider.Label) bool { return l.Name == "portrait" }) {
		t.Errorf("analysis of the crop: got %+v, %v, want the label portrait", a, err)
	}
}

// TestCanceled checks that a canceled call returns the cause of its context.
func TestCanceled(t *testing.T) {
	why := errors.New("the attempt took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, _, err := newProvider(t, everything).Edit(ctx, provider.Call{Image: pngOf(t, scene.New(64, 64, 1))}); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}
