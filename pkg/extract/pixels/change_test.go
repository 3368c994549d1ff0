package pixels_test

import (
	"image"
	"image/color"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rootMeanSquare returns the root mean square and the maximum difference between two pictures of the
// same size, over R, G and B.
func rootMeanSquare(t *testing.T, a, b image.Image) (rms, most float64) {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("got bounds %v and %v, want equal bounds", a.Bounds(), b.Bounds())
	}
	n := 0.0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			for _, d := range []float64{float64(p.R) - float64(q.R), float64(p.G) - float64(q.G), float64(p.B) - float64(q.B)} {
				rms += d * d
				most = max(most, math.Abs(d))
				n++
			}
		}
	}
	return math.Sqrt(rms / n), most
}

// TestResizeEqualsPillow checks that the filter, its treatment of borders and its rounding equal
// those of Pillow's Image.BICUBIC (testdata/SOURCE).
func TestResizeEqualsPillow(t *testing.T) {
	p := pixels.New(scene.New(96, 64, 3))
	p.Resize(37, 25)
	want := decode(t, read(t, "testdata/resize.png"))
	if rms, most := rootMeanSquare(t, p.NRGBA(), want.NRGBA()); most > 1 {
		t.Errorf("got a maximum difference of %.0f (root mean square %.2f), want at most 1", most, rms)
	}
}

// TestResizePlanes checks that resizing the planes of a JPEG produces nearly the same result as resizing its RGB pixels.
func TestResizePlanes(t *testing.T) {
	data := jpegOf(t, scene.New(401, 303, 3))
	planes, colors := decode(t, data), pixels.New(decode(t, data).NRGBA())
	planes.Fit(150, 150)
	colors.Fit(150, 150)
	if rms, most := rootMeanSquare(t, planes.NRGBA(), colors.NRGBA()); rms > 1 || most > 8 {
		t.Errorf("got differences of %.2f (root mean square) and %.0f (maximum), want at most 1 and 8", rms, most)
	}
}

func TestFit(t *testing.T) {
	for _, test := range []struct{ w, h, within, high, wantW, wantH int }{
		{400, 300, 204, 204, 204, 153},
		{300, 400, 204, 204, 153, 204},
		{400, 300, 0, 150, 200, 150},
		{400, 300, 500, 500, 400, 300},
		{400, 17, 40, 40, 40, 2},
	} {
		p := pixels.New(image.NewNRGBA(image.Rect(0, 0, test.w, test.h)))
		p.Fit(test.within, test.high)
		if p.Width() != test.wantW || p.Height() != test.wantH {
			t.Errorf("%d × %d within %d × %d: got %d × %d, want %d × %d", test.w, test.h, test.within, test.high, p.Width(), p.Height(), test.wantW, test.wantH)
		}
	}
}

// TestTransparentColorsDoNotShow checks that the color of fully transparent pixels does not affect
// their neighbors.
func TestTransparentColorsDoNotShow(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			c := color.NRGBA{G: 255} // transparent green
			if x >= 32 {
				c = color.NRGBA{R: 200, A: 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	p := pixels.New(m)
	p.Resize(15, 15)
	for x := range 15 {
		if c := p.NRGBA().NRGBAAt(x, 7); c.G != 0 {
			t.Errorf("got color %v at column %d, want no green", c, x)
		}
	}
	if p.Opaque() {
		t.Error("Opaque() = true, want false")
	}
}

// impulse returns a black picture with one gray pixel in the center.
func impulse(v byte) *pixels.Picture {
	m := image.NewNRGBA(image.Rect(0, 0, 17, 17))
	for i := range m.Pix {
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	m.SetNRGBA(8, 8, color.NRGBA{v, v, v, 255})
	return pixels.New(m)
}

func grays(p *pixels.Picture, y, from, to int) (row []int) {
	for x := from; x < to; x++ {
		row = append(row, int(p.NRGBA().NRGBAAt(x, y).R))
	}
	return row
}

// TestFilters compares the response of each filter to a single pixel with its definition.
func TestFilters(t *testing.T) {
	p := impulse(128)
	p.Sharpen(100) // 128 + (128 − 128·36/256) in the center, and 0 − … around it
	if got, want := grays(p, 8, 5, 12), []int{0, 0, 0, 238, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("sharpened: got %v, want %v", got, want)
	}
	p = impulse(255)
	p.Median()
	if got := grays(p, 8, 5, 12); slices.Max(got) != 0 {
		t.Errorf("median: got %v, want 0", got)
	}
	p = impulse(243) // three boxes of 3 have the weights 1 3 6 7 6 3 1 of 27, along rows and columns
	p.Blur(1)
	if got, want := grays(p, 8, 4, 13), []int{0, 2, 7, 14, 16, 14, 7, 2, 0}; !near(got, want, 1) {
		t.Errorf("blurred: got %v, want %v", got, want)
	}
}

func near(a, b []int, within int) bool {
	return slices.EqualFunc(a, b, func(x, y int) bool { return max(x-y, y-x) <= within })
}

// TestAutoLevels checks that brightness from 100 to 150 is stretched to the full range, and that a
// picture with a single brightness is unchanged.
func TestAutoLevels(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 51, 20))
	for y := range 20 {
		for x := range 51 {
			m.SetNRGBA(x, y, color.NRGBA{byte(100 + x), byte(100 + x), byte(100 + x), 255})
		}
	}
	p := pixels.New(m)
	p.AutoLevels()
	if got, want := grays(p, 3, 0, 51), []int{0, 5, 10}; !slices.Equal(got[:3], want) || got[50] != 255 || got[25] != 128 {
		t.Errorf("got %v, want %v at the start, 128 in the middle and 255 at the end", got, want)
	}
	flat := impulse(0)
	flat.AutoLevels()
	if got := grays(flat, 8, 0, 17); slices.Max(got) != 0 {
		t.Errorf("flat picture: got %v, want 0", got)
	}
}

// TestHEIC checks that decoding a file from another encoder reproduces its source picture, within
// the loss of its quality setting (testdata/SOURCE).
func TestHEIC(t *testing.T) {
	p := decode(t, read(t, "testdata/scene.heic"))
	if rms, _ := rootMeanSquare(t, p.NRGBA(), scene.New(96, 64, 3)); rms > 6 {
		t.Errorf("got a root mean square difference of %.2f, want at most 6", rms)
	}
}

// TestPixelTypes checks that all pixel types that the decoders return are converted to the same picture.
func TestPixelTypes(t *testing.T) {
	opaque := scene.New(48, 32, 2)
	gray := image.NewGray16(opaque.Rect)
	deep, deepAlpha, cut := image.NewRGBA64(opaque.Rect), image.NewNRGBA64(opaque.Rect), image.NewNRGBA(opaque.Rect)
	paletted := image.NewPaletted(opaque.Rect, color.Palette{color.NRGBA{200, 10, 20, 255}, color.NRGBA{0, 90, 20, 128}})
	for y := range 32 {
		for x := range 48 {
			c := opaque.NRGBAAt(x, y)
			gray.Set(x, y, c)
			deep.Set(x, y, c)
			c.A = byte(x * 5)
			deepAlpha.Set(x, y, c)
			cut.SetNRGBA(x, y, c)
			paletted.SetColorIndex(x, y, byte(x+y)%2)
		}
	}
	for name, test := range map[string]struct {
		in      image.Image
		reduced bool
		opaque  bool
	}{
		"8 bits": {opaque, false, true}, "alpha": {cut, false, false}, "palette": {paletted, false, false},
		"16 bits": {deep, true, true}, "16 bits, alpha": {deepAlpha, true, false}, "16 bits, gray": {gray, true, true},
	} {
		p := decode(t, pngOf(t, test.in))
		if (len(p.Remarks) > 0) != test.reduced || p.Opaque() != test.opaque {
			t.Errorf("%s: got remarks %q, opaque %t, want reduced %t, opaque %t", name, p.Remarks, p.Opaque(), test.reduced, test.opaque)
		}
		lossless, err := p.Encode(pixels.Encoding{Format: pixels.WebP, Quality: 100})
		if err != nil {
			t.Fatal(err)
		}
		again := decode(t, lossless)
		if _, most := rootMeanSquare(t, again.NRGBA(), test.in); most > 1 && test.opaque {
			t.Errorf("%s: got a difference of %.0f, want at most 1", name, most)
		}
		if again.Opaque() != test.opaque {
			t.Errorf("%s as WebP: got opaque %t, want %t", name, again.Opaque(), test.opaque)
		}
		if white := decode(t, encode(t, p, pixels.JPEG)); !white.Opaque() {
			t.Errorf("%s as JPEG: got opaque false, want true", name)
		}
	}
}

// TestCMYK checks that colors are converted without their profile, and that the loss is reported.
func TestCMYK(t *testing.T) {
	p := decode(t, read(t, "testdata/cmyk.jpg"))
	if rms, _ := rootMeanSquare(t, p.NRGBA(), scene.New(96, 64, 3)); rms > 6 || len(p.Remarks) == 0 {
		t.Errorf("got a root mean square difference of %.2f, want at most 6; got remarks %q, want a reason", rms, p.Remarks)
	}
}
