//go:build !noheic

package pixels_test

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// TestHEICAlpha checks that the alpha plane is kept, and drawn on white as JPEG. The values are those of libheif.
func TestHEICAlpha(t *testing.T) {
	p := decode(t, read(t, "testdata/alpha.heic"))
	m := p.NRGBA()
	if a, b := m.NRGBAAt(2, 2).A, m.NRGBAAt(20, 20).A; p.Opaque() || a != 0 || b != 0 {
		t.Errorf("got alpha %d and %d outside the circle, opaque %t, want 0", a, b, p.Opaque())
	}
	if got := m.NRGBAAt(100, 100); distance(got, color.NRGBA{R: 254, A: 255}) > 1 {
		t.Errorf("got %v in the middle, want 254, 0, 0", got)
	}
	if got := decode(t, encode(t, p, pixels.JPEG)).NRGBA().NRGBAAt(2, 2); distance(got, color.NRGBA{R: 255, G: 255, B: 255, A: 255}) > 7 {
		t.Errorf("as JPEG: got %v outside the circle, want white", got)
	}
}

// TestHEICMonochrome checks a ramp of 10 bits, and that its reduction is a remark.
func TestHEICMonochrome(t *testing.T) {
	p := decode(t, read(t, "testdata/mono10.heic"))
	m := p.NRGBA()
	for x := range 160 {
		v := byte(255 * x / 159)
		if got := m.NRGBAAt(x, 60); distance(got, color.NRGBA{R: v, G: v, B: v, A: 255}) > 2 {
			t.Errorf("got %v at %d, want %d", got, x, v)
		}
	}
	if want := []string{"10 bits per channel were reduced to 8"}; !slices.Equal(p.Remarks, want) {
		t.Errorf("got remarks %q, want %q", p.Remarks, want)
	}
}

// TestHEIC10Bits checks that 24 megapixels of 10 bits are decoded within the memory for photos.
func TestHEIC10Bits(t *testing.T) {
	p := decode(t, read(t, "testdata/heic-10bit-24mp.heic"))
	if p.Fit(300, 0); p.Width() != 300 || p.Height() != 200 || len(p.Remarks) != 1 {
		t.Errorf("got %d × %d pixels, remarks %q, want 300 × 200 and one remark", p.Width(), p.Height(), p.Remarks)
	}
}

// TestHEICPrimaryThumbnail checks that the picture is decoded if the file calls its thumbnail the primary item, as libvips
// and heif-convert do, and that the primary item is decoded if it is larger than what it is said to be the thumbnail of.
func TestHEICPrimaryThumbnail(t *testing.T) {
	data := read(t, "testdata/thumbnail.heic")
	at := bytes.Index(data, []byte("pitm")) + 8
	for _, item := range []uint16{1, 3} {
		binary.BigEndian.PutUint16(data[at:], item)
		p := decode(t, data)
		if got := p.NRGBA().NRGBAAt(80, 1); p.Width() != 160 || p.Height() != 120 || got.R < 240 || got.B > 15 || len(p.Remarks) > 0 {
			t.Errorf("primary item %d: got %d × %d pixels, %v at the top, remarks %q, want 160 × 120, red, none", item, p.Width(), p.Height(), got, p.Remarks)
		}
	}
	from := bytes.Index(data, []byte("thmb")) + 4
	binary.BigEndian.PutUint16(data[at:], 1)
	master, thumbnail := binary.BigEndian.Uint16(data[from+4:]), binary.BigEndian.Uint16(data[from:])
	binary.BigEndian.PutUint16(data[from:], master)
	binary.BigEndian.PutUint16(data[from+4:], thumbnail)
	if p := decode(t, data); p.Width() != 160 {
		t.Errorf("reversed reference: got a width of %d, want 160", p.Width())
	}
}

// TestHEICCrop compares a turned part of a picture with libheif 1.15 (testdata/SOURCE).
func TestHEICCrop(t *testing.T) {
	p, want := decode(t, read(t, "testdata/crop.heic")), decode(t, read(t, "testdata/crop-heic.png")).NRGBA()
	if p.Width() != 32 || p.Height() != 48 {
		t.Fatalf("got %d × %d pixels, want 32 × 48", p.Width(), p.Height())
	}
	if mean, _ := rootMeanSquare(t, p.NRGBA(), want); mean > 1 {
		t.Errorf("got a root mean square difference of %.2f, want at most 1", mean)
	}
}
