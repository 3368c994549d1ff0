package chroma_test

import (
	"bytes"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/chroma"
)

// TestRow checks the enlarged rows by hand: libjpeg's fancy upsampling keeps the outer samples and mixes the others 3 : 1.
// TestSameAsLibjpeg in package jpegfile compares whole pictures with djpeg.
func TestRow(t *testing.T) {
	p := chroma.Plane{Samples: []byte{0, 100, 200, 40, 140, 240}, Stride: 3, Width: 3, Height: 2}
	for _, test := range []struct {
		y, h, v int
		want    []byte
	}{
		{0, 1, 1, []byte{0, 100, 200}},
		{1, 2, 1, []byte{40, 65, 115, 165, 215}},
		{0, 2, 2, []byte{0, 25, 75, 125, 175, 200}},
		{1, 2, 2, []byte{10, 35, 85, 135, 185, 210}},
		{2, 1, 2, []byte{30, 130, 230}},
		{3, 4, 2, []byte{40, 40, 40, 40, 140}},
	} {
		got := make([]byte, len(test.want))
		if p.Row(got, test.y, test.h, test.v); !bytes.Equal(got, test.want) {
			t.Errorf("row %d, %d × %d: got %d, want %d", test.y, test.h, test.v, got, test.want)
		}
	}
}

// TestRGBA compares colors with JFIF 1.02: R = Y + 1.402 (Cr − 128), and so on.
func TestRGBA(t *testing.T) {
	got := make([]byte, 16)
	chroma.RGBA(got, []byte{255, 0, 76, 128}, []byte{128, 128, 85, 128}, []byte{128, 128, 255, 128})
	if want := []byte{255, 255, 255, 255, 0, 0, 0, 255, 254, 0, 0, 255, 128, 128, 128, 255}; !bytes.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}
