package photo_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// quadrants returns a picture of four colors: red, green, blue and white.
func quadrants(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := [2][2]color.NRGBA{{{255, 0, 0, 255}, {0, 255, 0, 255}}, {{0, 0, 255, 255}, {255, 255, 255, 255}}}[y*2/height][x*2/width]
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func pixelsOf(t *testing.T, e photo.Edited) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(e.Image))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOperations covers the size, the report, and a pixel of the results of steps that change the frame of a photo of 400 ×
// 200 pixels in four colors.
func TestOperations(t *testing.T) {
	limits := pixels.Default
	limits.Pixels, limits.Longest = 1_000_000, 1500
	s, data := newStudio(t, photo.Config{Limits: limits}), pngOf(t, quadrants(400, 200))
	const most = "results may have at most 1 megapixels and 1500 pixels a side"
	const added = "enlarged by interpolation; no detail was added"
	red, green, blue, white := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.NRGBA{255, 255, 255, 255}
	type step = operation.Step
	for name, test := range map[string]struct {
		step     step
		size     image.Point
		at       image.Point
		want     color.NRGBA
		degraded string
	}{
		"crop in pixels":              {step{Op: operation.Crop, Width: 100, Height: 50}, image.Pt(100, 50), image.Pt(20, 10), red, ""},
		"crop at a corner":            {step{Op: operation.Crop, Width: 100, Height: 50, Gravity: operation.Southwest}, image.Pt(100, 50), image.Pt(99, 0), blue, ""},
		"crop with an offset":         {step{Op: operation.Crop, Width: 100, Height: 50, X: 199, Y: 49, Gravity: operation.Northwest}, image.Pt(100, 50), image.Pt(1, 0), green, ""},
		"crop a side":                 {step{Op: operation.Crop, Width: 100, Gravity: operation.East}, image.Pt(100, 200), image.Pt(0, 199), white, ""},
		"crop beyond the edge":        {step{Op: operation.Crop, Width: 100, Height: 50, X: 350, Y: -10, Gravity: operation.Northwest}, image.Pt(50, 40), image.Pt(0, 0), green, "cropped to 50 × 40 pixels: the area exceeds the photo of 400 × 200"},
		"crop more than all":          {step{Op: operation.Crop, Width: 1000, Height: 1000}, image.Pt(400, 200), image.Pt(0, 0), red, "cropped to 400 × 200 pixels: the area exceeds the photo of 400 × 200"},
		"crop outside":                {step{Op: operation.Crop, Width: 10, Height: 10, X: 400, Gravity: operation.Northwest}, image.Pt(400, 200), image.Pt(0, 0), red, "not cropped: the area is outside of the photo of 400 × 200 pixels"},
		"crop by ratio":               {step{Op: operation.Crop, Ratio: operation.Ratio{Width: 1, Height: 1}, Gravity: operation.West}, image.Pt(200, 200), image.Pt(199, 0), red, ""},
		"crop by ratio, east":         {step{Op: operation.Crop, Ratio: operation.Ratio{Width: 1, Height: 1}, Gravity: operation.Northeast}, image.Pt(200, 200), image.Pt(0, 0), green, ""},
		"crop to faces":               {step{Op: operation.Crop, Width: 100, Height: 50, Gravity: operation.Faces}, image.Pt(100, 50), image.Pt(20, 10), red, "no face: the center was used"},
		"resize by percent":           {step{Op: operation.Resize, Percent: 25}, image.Pt(100, 50), image.Pt(99, 0), green, ""},
		"enlarge by percent":          {step{Op: operation.Enlarge, Percent: 150}, image.Pt(600, 300), image.Pt(280, 20), red, added},
		"enlarge to a box":            {step{Op: operation.Enlarge, Width: 1000, Height: 400}, image.Pt(800, 400), image.Pt(799, 399), white, added},
		"enlarge too much":            {step{Op: operation.Enlarge, Percent: 1000}, image.Pt(1414, 707), image.Pt(0, 0), red, "enlarged only to 1414 × 707 pixels: " + most + ". " + added},
		"enlarge to less":             {step{Op: operation.Enlarge, Width: 300}, image.Pt(400, 200), image.Pt(0, 0), red, "not enlarged: the photo has 400 × 200 pixels"},
		"pad to a ratio":              {step{Op: operation.Pad, Ratio: operation.Ratio{Width: 1, Height: 1}}, image.Pt(400, 400), image.Pt(0, 99), white, ""},
		"pad to a ratio, at the top":  {step{Op: operation.Pad, Ratio: operation.Ratio{Width: 1, Height: 1}, Gravity: operation.North, Color: "#0000ff"}, image.Pt(400, 400), image.Pt(399, 200), blue, ""},
		"pad by a border":             {step{Op: operation.Pad, Percent: 10, Color: "#00ff00"}, image.Pt(440, 240), image.Pt(20, 20), red, ""},
		"pad to a size":               {step{Op: operation.Pad, Width: 500, Height: 300, Color: "#0000ff", Gravity: operation.Southeast}, image.Pt(500, 300), image.Pt(99, 100), blue, ""},
		"pad to a smaller size":       {step{Op: operation.Pad, Width: 100, Height: 100, Color: "#0000ff"}, image.Pt(100, 100), image.Pt(0, 23), blue, ""},
		"pad too much":                {step{Op: operation.Pad, Width: 2000}, image.Pt(400, 200), image.Pt(0, 0), red, "not padded: " + most},
		"straighten":                  {step{Op: operation.Straighten, Degrees: -10}, image.Pt(300, 150), image.Pt(20, 20), red, ""},
		"lower saturation":            {step{Op: operation.Saturate, Percent: -100}, image.Pt(400, 200), image.Pt(0, 0), color.NRGBA{77, 77, 77, 255}, ""},
		"a percentage by default":     {step{Op: operation.Darken}, image.Pt(400, 200), image.Pt(399, 199), white, ""},
		"watermark without its logo":  {step{Op: operation.Watermark, Logo: "01K"}, image.Pt(400, 200), image.Pt(399, 199), white, "watermark not drawn: logo 01K: it was not found"},
		"watermark of unknown script": {step{Op: operation.Watermark, Text: "அ✓"}, image.Pt(400, 200), image.Pt(399, 199), white, "watermark not drawn: no font has அ (U+0B85), ✓ (U+2713)"},
	} {
		t.Run(name, func(t *testing.T) {
			if wrong := test.step.Check(); len(wrong) > 0 {
				t.Fatalf("got violations %v, want none", wrong)
			}
			e := edit(t, s, data, photo.Request{Operations: []operation.Step{test.step}})
			if e.Width != test.size.X || e.Height != test.size.Y || e.Degraded != test.degraded {
				t.Errorf("got %d × %d, degraded %q, want %v, %q", e.Width, e.Height, e.Degraded, test.size, test.degraded)
			}
			m := pixelsOf(t, e)
			if m.Bounds().Size() != test.size {
				t.Fatalf("in the file: got %v, want %v", m.Bounds().Size(), test.size)
			}
			if got := color.NRGBAModel.Convert(m.At(test.at.X, test.at.Y)).(color.NRGBA); got != test.want {
				t.Errorf("at %v: got %v, want %v", test.at, got, test.want)
			}
		})
	}
}

// TestPromptAndOperations checks that operations follow the steps of the prompt, and that an empty prompt is no edit if there
// are any.
func TestPromptAndOperations(t *testing.T) {
	s, data := newStudio(t, photo.Config{Limits: pixels.Default}), pngOf(t, quadrants(400, 200))
	pad := []operation.Step{{Op: operation.Pad, Percent: 50, Color: "#ff0000"}}
	e := edit(t, s, data, photo.Request{Prompt: "rotate 90", Operations: pad})
	if got := color.NRGBAModel.Convert(pixelsOf(t, e).At(10, 10)); e.Width != 400 || e.Height != 600 || got != (color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("got %d × %d, %v, want 400 × 600, red", e.Width, e.Height, got)
	}
	e = edit(t, s, data, photo.Request{Prompt: "make it pop", Operations: pad})
	if e.Width != 600 || !strings.HasPrefix(e.Degraded, "not understood: ") {
		t.Errorf("with an unknown prompt: got a width of %d, degraded %q, want 600, not understood", e.Width, e.Degraded)
	}
}

// TestWatermark checks the place and the opacity of texts and logos, and that texts of one length in any script differ.
func TestWatermark(t *testing.T) {
	s := newStudio(t, photo.Config{Limits: pixels.Default})
	gray := image.NewNRGBA(image.Rect(0, 0, 600, 400))
	for i := range gray.Pix {
		gray.Pix[i] = 128
		if i%4 == 3 {
			gray.Pix[i] = 255
		}
	}
	draw := func(step operation.Step, logos map[string][]byte) *image.RGBA {
		step.Op = operation.Watermark
		e := edit(t, s, pngOf(t, gray), photo.Request{Operations: []operation.Step{step}, Logos: logos})
		if e.Degraded != "" {
			t.Errorf("%+v: got degraded %q, want none", step, e.Degraded)
		}
		return pixelsOf(t, e).(*image.RGBA)
	}
	changed := func(m *image.RGBA) (box image.Rectangle) {
		for y := range 400 {
			for x := range 600 {
				if m.RGBAAt(x, y) != (color.RGBA{128, 128, 128, 255}) {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		return box
	}
	seen := map[string]string{}
	for _, text := range []string{"日本", "山川", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "한국", "摄影", "Привет", "Ελλάς"} {
		m := draw(operation.Step{Text: text}, nil)
		box := changed(m)
		if box.Min.X < 400 || box.Min.Y < 360 || box.Max.X > 590 || box.Max.Y > 395 || box.Dy() < 8 {
			t.Errorf("%q: got the place %v, want the lower right corner", text, box)
		}
		if other, twice := seen[string(m.Pix)]; twice {
			t.Errorf("%q and %q have the same picture, want different pictures", text, other)
		}
		seen[string(m.Pix)] = text
	}
	if box := changed(draw(operation.Step{Text: "Jane", Gravity: operation.Northwest, Percent: 20}, nil)); box.Min.X > 30 || box.Min.Y > 40 || box.Dy() < 55 || box.Dy() > 90 {
		t.Errorf("a text of 20 %% at the upper left: got the place %v", box)
	}
	if box := changed(draw(operation.Step{Text: strings.Repeat("long ", 16)}, nil)); box.Min.X < 8 || box.Max.X > 595 {
		t.Errorf("a long text: got the place %v, want it within the photo", box)
	}
	logo := image.NewNRGBA(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 20 {
			logo.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255}) // the right half is transparent
		}
	}
	logos := map[string][]byte{"01K": pngOf(t, logo)}
	m := draw(operation.Step{Logo: "01K", Gravity: operation.Center, Opacity: 50}, logos)
	if box := changed(m); box.Min != image.Pt(259, 179) || box.Dy() != 40 || box.Dx() < 40 || box.Dx() > 46 {
		t.Errorf("a logo: got the place %v, want the left half of 80 × 40 at (259, 179)", box)
	}
	if got := m.RGBAAt(270, 200); got != (color.RGBA{192, 64, 64, 255}) {
		t.Errorf("a red logo of 50 %% on gray: got %v, want 192, 64, 64", got)
	}
	if box := changed(draw(operation.Step{Logo: "01K", Percent: 5, Gravity: operation.South}, logos)); box.Dx() > 12 || box.Max.Y > 390 {
		t.Errorf("a small logo: got the place %v, want the left half of 20 × 10 at the bottom", box)
	}
}

// TestOutputs checks the formats and sizes of several results of one edit, and that they show the same edit.
func TestOutputs(t *testing.T) {
	s, data := newStudio(t, photo.Config{Limits: pixels.Default}), pngOf(t, scene.New(320, 240, 9))
	e := edit(t, s, data, photo.Request{Prompt: "sepia, as jpeg quality 90", Outputs: []operation.Output{
		{Format: "webp", Width: 100}, {Format: "png"}, {Height: 60, Quality: 30}, {Width: 4000},
	}})
	if e.Format != "jpeg" || e.Width != 320 || len(e.Outputs) != 4 {
		t.Fatalf("got %s, a width of %d, %d outputs, want jpeg, 320, 4", e.Format, e.Width, len(e.Outputs))
	}
	for i, want := range []struct {
		format string
		size   image.Point
	}{{"webp", image.Pt(100, 75)}, {"png", image.Pt(320, 240)}, {"jpeg", image.Pt(80, 60)}, {"jpeg", image.Pt(320, 240)}} {
		o := e.Outputs[i]
		info, err := pixels.Inspect(o.Image, pixels.Default)
		if err != nil || string(o.Format) != want.format || string(info.Format) != want.format || image.Pt(info.Width, info.Height) != want.size || image.Pt(o.Width, o.Height) != want.size {
			t.Errorf("%d: got %s of %d × %d, in the file %s of %d × %d, %v, want %v", i, o.Format, o.Width, o.Height, info.Format, info.Width, info.Height, err, want)
		}
	}
	alone := edit(t, s, data, photo.Request{Prompt: "sepia, as png"})
	if !bytes.Equal(alone.Image, e.Outputs[1].Image) {
		t.Error("the PNG differs from that of a job of its own, want the same bytes")
	}
	if !bytes.Equal(e.Image, e.Outputs[3].Image) {
		t.Error("an output without limits differs from the main result, want the same bytes")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Edit(ctx, data, photo.Request{Outputs: []operation.Output{{}}}); err == nil {
		t.Error("with a canceled context: got no error, want one")
	}
}

// TestKeep checks that the copyright is in each result that has a place for it, only if asked for, and the location never.
func TestKeep(t *testing.T) {
	s := newStudio(t, photo.Config{Limits: pixels.Default})
	data, err := os.ReadFile("../pixels/testdata/rights/exif.jpeg")
	if err != nil {
		t.Fatal(err)
	}
	outputs := []operation.Output{{Format: "png"}, {Format: "webp", Width: 32}}
	want := pixels.Rights{Artist: "Jané Doe", Copyright: "© 2026 Jané Doe"}
	e := edit(t, s, data, photo.Request{Prompt: "sepia", Keep: []string{photo.KeepCopyright}, Outputs: outputs})
	for i, image := range [][]byte{e.Image, e.Outputs[0].Image, e.Outputs[1].Image} {
		if got := pixels.ReadRights(image); got != want || bytes.Contains(image, []byte("SN12345")) {
			t.Errorf("%d: got %+v, want %+v, and no serial number", i, got, want)
		}
	}
	e = edit(t, s, data, photo.Request{Prompt: "sepia", Outputs: outputs})
	if got := pixels.ReadRights(e.Image); got != (pixels.Rights{}) {
		t.Errorf("not asked for: got %+v, want none", got)
	}
}
