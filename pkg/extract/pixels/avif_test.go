package pixels_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestAVIF compares pictures with several depths, samplings and transformations with libheif (testdata/SOURCE).
func TestAVIF(t *testing.T) {
	for name, remarks := range map[string][]string{
		"turned10": {"10 bits per channel were reduced to 8"}, "gray12": {"12 bits per channel were reduced to 8"}, "crop": nil, "boxes": nil,
	} {
		p, want := decode(t, read(t, "testdata/"+name+".avif")), decode(t, read(t, "testdata/"+name+".png")).NRGBA()
		if p.Width() != want.Rect.Dx() || p.Height() != want.Rect.Dy() {
			t.Errorf("%s: got %d × %d pixels, want %v", name, p.Width(), p.Height(), want.Rect)
			continue
		}
		if mean, _ := rootMeanSquare(t, p.NRGBA(), want); mean > 1 {
			t.Errorf("%s: got a root mean square difference of %.2f, want at most 1", name, mean)
		}
		if !slices.Equal(p.Remarks, remarks) {
			t.Errorf("%s: got remarks %q, want %q", name, p.Remarks, remarks)
		}
	}
}

// TestAVIFRoundTrip checks that an encoding resembles its picture and keeps transparency and the profile.
func TestAVIFRoundTrip(t *testing.T) {
	icc := profile("RGB ", 3000)
	source := withSegment(jpegOf(t, scene.New(150, 140, 2)), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), icc...))
	last := 1 << 30
	for _, test := range []struct {
		quality int
		most    float64
	}{{100, 2}, {0, 12}, {20, 25}} {
		for _, transparent := range []bool{false, true} {
			p := decode(t, source)
			if transparent {
				clear(p.NRGBA().Pix[:4*150*70])
				p.SetTransparent()
			}
			out, err := p.Encode(pixels.Encoding{Format: pixels.AVIF, Quality: test.quality})
			if err != nil {
				t.Fatal(err)
			}
			info, err := pixels.Inspect(out, pixels.Default)
			if err != nil || info.Format != pixels.AVIF || !bytes.Equal(info.Profile, icc) {
				t.Fatalf("quality %d: got %s with a profile of %d bytes, %v, want %d", test.quality, info.Format, len(info.Profile), err, len(icc))
			}
			again := decode(t, out)
			if mean, _ := rootMeanSquare(t, again.NRGBA(), p.NRGBA()); again.Opaque() == transparent || mean > test.most {
				t.Errorf("quality %d, transparent %t: got opaque %t and a root mean square difference of %.1f, want %.1f", test.quality, transparent, again.Opaque(), mean, test.most)
			}
			if !transparent && len(out) > last {
				t.Errorf("quality %d: got %d bytes, want at most %d as with the previous quality", test.quality, len(out), last)
			}
			if !transparent {
				last = len(out)
			}
		}
	}
}
