package photojob

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/photojob/rendition"
)

// TestDraw checks the size of a rendition, and which part of the photo it shows.
func TestDraw(t *testing.T) {
	const width, height = 90, 30 // a red, a green and a blue square
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	colors := []color.NRGBA{{R: 255, A: 255}, {G: 255, A: 255}, {B: 255, A: 255}}
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, colors[x*len(colors)/width])
		}
	}
	var photo bytes.Buffer
	if err := png.Encode(&photo, m); err != nil {
		t.Fatal(err)
	}
	decoder := pixels.NewDecoder(budget.New(1<<30), wasm.Config{})
	for _, test := range []struct {
		r    rendition.Rendition
		size image.Point
		want color.NRGBA // in the middle
	}{
		{rendition.Rendition{}, image.Pt(90, 30), colors[1]},
		{rendition.Rendition{Width: 900}, image.Pt(90, 30), colors[1]},
		{rendition.Rendition{Width: 30}, image.Pt(30, 10), colors[1]},
		{rendition.Rendition{Height: 15}, image.Pt(45, 15), colors[1]},
		{rendition.Rendition{Ratio: "1:1"}, image.Pt(30, 30), colors[1]},
		{rendition.Rendition{Ratio: "1:1", Gravity: operation.West}, image.Pt(30, 30), colors[0]},
		{rendition.Rendition{Ratio: "1:1", Gravity: operation.Southeast}, image.Pt(30, 30), colors[2]},
		{rendition.Rendition{Width: 10, Height: 10, Cover: true, Gravity: operation.Northwest}, image.Pt(10, 10), colors[0]},
		{rendition.Rendition{Width: 60, Height: 60, Cover: true}, image.Pt(30, 30), colors[1]},
	} {
		test.r.Format = "png"
		body, err := draw(t.Context(), decoder, photo.Bytes(), test.r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		size := got.Bounds().Size()
		if middle := color.NRGBAModel.Convert(got.At(size.X/2, size.Y/2)); size != test.size || middle != test.want {
			t.Errorf("%s: got %v with %v in the middle, want %v with %v", test.r.Name(), size, middle, test.size, test.want)
		}
	}
	small := pixels.NewDecoder(budget.New(1<<20), wasm.Config{})
	if _, err := draw(t.Context(), small, photo.Bytes(), rendition.Rendition{Format: "png"}); !errors.Is(err, pixels.ErrTooLarge) {
		t.Errorf("without memory: got error %v, want ErrTooLarge", err)
	}
}
