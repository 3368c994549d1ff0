package pixels_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// waves returns the values of a smooth function of the distance from the center, rotated clockwise by an angle.
func waves(width, height int, degrees float64) *image.NRGBA {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := float64(x)-float64(width-1)/2, float64(y)-float64(height-1)/2
			u, v := dx*cos+dy*sin, -dx*sin+dy*cos // where the pixel was before the rotation
			value := func(period, phase float64) byte {
				return byte(math.Round(128 + 60*math.Sin(2*math.Pi*u/period+phase) + 60*math.Cos(2*math.Pi*v/(period*1.3))))
			}
			m.SetNRGBA(x, y, color.NRGBA{value(24, 0), value(31, 1), value(50, 2), 255})
		}
	}
	return m
}

// TestStraighten compares rotated pictures with a function that is known at every point, and the size with the largest area
// of the same aspect ratio without corners outside the picture, which is sought by trial.
func TestStraighten(t *testing.T) {
	for _, size := range []image.Point{{301, 200}, {120, 321}, {64, 64}, {1, 1}} {
		for _, degrees := range []float64{-45, -10, -0.5, 0.25, 2, 30, 45} {
			p := pixels.New(waves(size.X, size.Y, 0))
			p.Straighten(degrees)
			got := p.NRGBA()
			want := waves(p.Width(), p.Height(), degrees)
			if rms, most := rootMeanSquare(t, got, want); most > 4 || rms > 0.8 {
				t.Errorf("%v by %v°: got a maximum difference of %.0f (root mean square %.2f), want at most 4 (0.8)", size, degrees, most, rms)
			}
			if !got.Opaque() {
				t.Errorf("%v by %v°: got transparent pixels, want none", size, degrees)
			}
			w, h := largest(size, degrees)
			if math.Abs(float64(p.Width())-w) > 1 || math.Abs(float64(p.Height())-h) > 1 {
				t.Errorf("%v by %v°: got %d × %d, want about %.1f × %.1f", size, degrees, p.Width(), p.Height(), w, h)
			}
		}
	}
}

// largest seeks the largest area with the aspect ratio of size whose corners, rotated, are in the picture.
func largest(size image.Point, degrees float64) (w, h float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for share := 1.0; share > 0; share -= 1e-4 {
		w, h = share*float64(size.X), share*float64(size.Y)
		fits := true
		for _, sign := range []float64{-1, 1} {
			x, y := w/2, sign*h/2
			fits = fits && math.Abs(x*cos+y*sin) <= float64(size.X)/2+1e-9 && math.Abs(-x*sin+y*cos) <= float64(size.Y)/2+1e-9
		}
		if fits {
			return max(w, 1), max(h, 1)
		}
	}
	return w, h
}

// TestStraightenKeepsEdges checks that transparent pixels do not darken their neighbors.
func TestStraightenKeepsEdges(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 60, 60))
	for y := range 60 {
		for x := 30; x < 60; x++ {
			m.SetNRGBA(x, y, color.NRGBA{250, 200, 100, 255})
		}
	}
	p := pixels.New(m)
	p.Straighten(7)
	out, transparent := p.NRGBA(), 0
	for i := 0; i < len(out.Pix); i += 4 {
		switch px := out.Pix[i : i+4]; {
		case px[3] == 0:
			transparent++
		case px[3] > 16 && distance(color.NRGBA{px[0], px[1], px[2], 255}, color.NRGBA{250, 200, 100, 255}) > 20: // the cubic overshoots at edges
			t.Fatalf("got %v, want about 250, 200, 100", px)
		}
	}
	if transparent == 0 {
		t.Error("got no transparent pixels, want some")
	}
}

// TestEnlarge compares an enlarged picture with a function that is known at every point, for each kind of pixels.
func TestEnlarge(t *testing.T) {
	want := image.NewNRGBA(image.Rect(0, 0, 230, 161))
	small := waves(100, 70, 0)
	sample := func(x, y float64, period, phase float64) byte {
		return byte(math.Round(128 + 60*math.Sin(2*math.Pi*x/period+phase) + 60*math.Cos(2*math.Pi*y/(period*1.3))))
	}
	for y := range 161 {
		for x := range 230 {
			u, v := (float64(x)+0.5)/2.3-0.5-49.5, (float64(y)+0.5)/2.3-0.5-34.5
			want.SetNRGBA(x, y, color.NRGBA{sample(u, v, 24, 0), sample(u, v, 31, 1), sample(u, v, 50, 2), 255})
		}
	}
	inner := image.Rect(10, 10, 220, 150) // beyond the edges, the function is not known to Enlarge
	p := pixels.New(small)
	p.Enlarge(230, 161)
	if p.Width() != 230 || p.Height() != 161 {
		t.Fatalf("got %d × %d, want 230 × 161", p.Width(), p.Height())
	}
	p.Crop(inner)
	w := pixels.New(want)
	w.Crop(inner)
	if rms, most := rootMeanSquare(t, p.NRGBA(), w.NRGBA()); most > 3 || rms > 0.8 {
		t.Errorf("got a maximum difference of %.0f (root mean square %.2f), want at most 3 (0.8)", most, rms)
	}
	planes, colors := decode(t, jpegOf(t, scene.New(150, 101, 3))), pixels.New(decode(t, jpegOf(t, scene.New(150, 101, 3))).NRGBA())
	planes.Enlarge(401, 270)
	colors.Enlarge(401, 270)
	if rms, _ := rootMeanSquare(t, planes.NRGBA(), colors.NRGBA()); rms > 4 {
		t.Errorf("planes: got a root mean square difference of %.2f to RGB, want at most 4", rms)
	}
	p = pixels.New(scene.New(50, 40, 1))
	if p.Enlarge(20, 20); p.Width() != 50 || p.Height() != 40 {
		t.Errorf("to a smaller size: got %d × %d, want 50 × 40", p.Width(), p.Height())
	}
}

// TestPad checks the place of the picture, the color around it, and that parts outside are cut off.
func TestPad(t *testing.T) {
	red, blue := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}
	m := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range 200 {
		m.SetNRGBA(i%20, i/20, red)
	}
	m.SetNRGBA(5, 5, color.NRGBA{})
	p := pixels.New(m)
	p.Pad(30, 8, image.Pt(10, -1), [3]byte{0, 0, 255})
	out := p.NRGBA()
	for at, want := range map[image.Point]color.NRGBA{{9, 0}: blue, {10, 0}: red, {29, 7}: red, {15, 4}: {}} {
		if got := out.NRGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v: got %v, want %v", at, got, want)
		}
	}
	if out.Rect != image.Rect(0, 0, 30, 8) {
		t.Errorf("got %v, want 30 × 8", out.Rect)
	}
}

// TestOverlay compares drawing with the formula of Porter and Duff for "over".
func TestOverlay(t *testing.T) {
	for _, test := range []struct {
		below, above color.NRGBA
		opacity      int
	}{
		{color.NRGBA{10, 20, 30, 255}, color.NRGBA{200, 100, 0, 255}, 50},
		{color.NRGBA{10, 20, 30, 128}, color.NRGBA{200, 100, 0, 100}, 80},
		{color.NRGBA{}, color.NRGBA{200, 100, 0, 255}, 100},
		{color.NRGBA{10, 20, 30, 255}, color.NRGBA{200, 100, 0, 0}, 100},
	} {
		m, logo := image.NewNRGBA(image.Rect(0, 0, 4, 4)), image.NewNRGBA(image.Rect(0, 0, 9, 9))
		for i := range 16 {
			m.SetNRGBA(i%4, i/4, test.below)
		}
		for i := range 81 {
			logo.SetNRGBA(i%9, i/9, test.above)
		}
		p := pixels.New(m)
		p.Overlay(pixels.New(logo), image.Pt(2, -3), test.opacity)
		a, b := float64(test.above.A)/255*float64(test.opacity)/100, float64(test.below.A)/255
		total := a + b*(1-a)
		part := func(above, below byte) byte {
			return byte(math.Round((float64(above)*a + float64(below)*b*(1-a)) / total))
		}
		want := color.NRGBA{part(test.above.R, test.below.R), part(test.above.G, test.below.G), part(test.above.B, test.below.B), byte(math.Round(total * 255))}
		if got := p.NRGBA().NRGBAAt(2, 0); distance(got, want) > 1 {
			t.Errorf("%+v: got %v, want %v", test, got, want)
		}
		if got := p.NRGBA().NRGBAAt(1, 0); got != test.below {
			t.Errorf("%+v: beside the logo, got %v, want %v", test, got, test.below)
		}
	}
}
