package pixels_test

import (
	"image"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestBox checks that a JPEG is decoded at a reduced size that is not below the box, and that it is the same picture.
func TestBox(t *testing.T) {
	decoder := pixels.NewDecoder(budget.New(memory), cache)
	data := jpegOf(t, scene.New(640, 480, 1))
	for box, want := range map[image.Point]image.Point{
		{}: {X: 640, Y: 480}, {X: 321}: {X: 640, Y: 480}, {X: 320}: {X: 320, Y: 240}, {Y: 120}: {X: 160, Y: 120},
		{X: 500, Y: 60}: {X: 80, Y: 60}, {X: 160, Y: 160}: {X: 160, Y: 120},
	} {
		limits := pixels.Default
		limits.Box = box
		p, release, err := decoder.Decode(t.Context(), data, limits)
		if err != nil {
			t.Fatal(err)
		}
		if got := image.Pt(p.Width(), p.Height()); got != want {
			t.Errorf("box %v: got %v, want %v", box, got, want)
		}
		p.Fit(80, 60)
		if rms, _ := rootMeanSquare(t, p.NRGBA(), shrunk(t, decoder, data)); rms > 3 {
			t.Errorf("box %v: got a root mean square difference of %.2f from the picture decoded whole, want at most 3", box, rms)
		}
		release()
	}
}

func shrunk(t *testing.T, decoder *pixels.Decoder, data []byte) *image.NRGBA {
	p, release, err := decoder.Decode(t.Context(), data, pixels.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	p.Fit(80, 60)
	return p.NRGBA()
}
