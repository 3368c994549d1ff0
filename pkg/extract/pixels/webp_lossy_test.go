package pixels_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// TestLossyWebPEqualsLibwebp compares the pixels with those of dwebp (testdata/SOURCE).
func TestLossyWebPEqualsLibwebp(t *testing.T) {
	for _, name := range []string{"lossy", "lossy-alpha"} {
		got, want := decode(t, read(t, "testdata/"+name+".webp")).NRGBA(), decode(t, read(t, "testdata/"+name+".png")).NRGBA()
		if got.Rect != want.Rect {
			t.Fatalf("%s: got %v, want %v", name, got.Rect, want.Rect)
		}
		for i, v := range got.Pix {
			if v != want.Pix[i] {
				t.Fatalf("%s: got %d in byte %d, want %d", name, v, i, want.Pix[i])
			}
		}
	}
}

// TestLossyWebPHasFullRange checks that black and white are not washed out.
func TestLossyWebPHasFullRange(t *testing.T) {
	colors := map[string]func(x int) color.NRGBA{
		"white": func(int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} },
		"black": func(int) color.NRGBA { return color.NRGBA{0, 0, 0, 255} },
		"red":   func(int) color.NRGBA { return color.NRGBA{255, 0, 0, 255} },
		"ramp":  func(x int) color.NRGBA { return color.NRGBA{byte(x), byte(x), byte(x), 255} },
	}
	for name, at := range colors {
		want := image.NewNRGBA(image.Rect(0, 0, 256, 32))
		for y := range 32 {
			for x := range 256 {
				want.SetNRGBA(x, y, at(x))
			}
		}
		got := decode(t, encode(t, picture(t, want), pixels.WebP))
		if _, most := rootMeanSquare(t, got.NRGBA(), want); most > 2 {
			t.Errorf("%s: got a difference of %.0f, want at most 2", name, most)
		}
	}
	if got := decode(t, read(t, "testdata/white.webp")).NRGBA().NRGBAAt(30, 30); got.R < 253 || got.G < 253 || got.B < 253 {
		t.Errorf("got %v, want white", got)
	}
}
