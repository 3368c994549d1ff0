package photo_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

func filled(c color.Color) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 200, 150))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return m
}

// document returns black text on white paper.
func document() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 400, 500))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	for line := range 24 {
		d := font.Drawer{Dst: m, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(30, 40+18*line)}
		d.DrawString("The quick brown fox jumps over the lazy dog, again.")
	}
	return m
}

// TestDescribe checks the descriptions of pictures with known properties.
func TestDescribe(t *testing.T) {
	s := newStudio(t, everything)
	for name, test := range map[string]struct {
		picture     image.Image
		description string
		labels      []string
	}{
		"red":      {filled(color.NRGBA{220, 20, 30, 255}), "A landscape photo, of low contrast and blurry, mostly red.", []string{"blurry", "red"}},
		"night":    {filled(color.NRGBA{10, 10, 40, 255}), "A landscape photo, dark and blurry, mostly blue.", []string{"low_light", "blurry", "blue"}},
		"gray":     {filled(color.NRGBA{128, 128, 128, 255}), "A landscape photo, of low contrast and blurry, in black and white.", []string{"monochrome", "blurry"}},
		"document": {document(), "An upright picture that looks like a document, sharp, in black and white.", []string{"document_like", "monochrome"}},
	} {
		a, err := s.Describe(t.Context(), pngOf(t, test.picture), false)
		if err != nil {
			t.Fatal(err)
		}
		same := len(a.Labels) == len(test.labels)
		for i := range min(len(a.Labels), len(test.labels)) {
			same = same && a.Labels[i].Name == test.labels[i]
		}
		if a.Text != test.description || !same {
			t.Errorf("%s: got %q, %v; want %q, %v", name, a.Text, a.Labels, test.description, test.labels)
		}
	}
}

// TestColorNames checks the names of the CSS colors whose names are basic color terms.
func TestColorNames(t *testing.T) {
	s := newStudio(t, photo.Config{Limits: pixels.Default})
	for want, c := range map[string]color.NRGBA{
		"black": {0, 0, 0, 255}, "white": {255, 255, 255, 255}, "gray": {128, 128, 128, 255}, "red": {255, 0, 0, 255},
		"orange": {255, 165, 0, 255}, "yellow": {255, 255, 0, 255}, "green": {0, 128, 0, 255}, "turquoise": {64, 224, 208, 255},
		"blue": {0, 0, 255, 255}, "purple": {128, 0, 128, 255}, "pink": {255, 192, 203, 255}, "brown": {139, 69, 19, 255}, "beige": {222, 184, 135, 255},
	} {
		a, err := s.Describe(t.Context(), pngOf(t, filled(c)), false)
		if err != nil {
			t.Fatal(err)
		}
		name := a.Labels[len(a.Labels)-1].Name
		if want == "black" || want == "white" || want == "gray" {
			if a.Labels[0].Name != "monochrome" {
				t.Errorf("%s: got labels %v, want monochrome first", want, a.Labels)
			}
			continue
		}
		if name != want {
			t.Errorf("%v: got %s, want %s", c, name, want)
		}
	}
}
