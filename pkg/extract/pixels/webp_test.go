package pixels_test

import (
	"bytes"
	"fmt"
	"image"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestWebPIsLossyByDefault checks that a WebP has the size of its picture and resembles it, that a
// lower quality produces a smaller and less similar file, that quality 100 is lossless, and that
// encoding is deterministic.
func TestWebPIsLossyByDefault(t *testing.T) {
	for _, size := range []image.Point{{16, 17}, {161, 33}} {
		photo := scene.New(size.X, size.Y, 5)
		last := 1 << 30
		for _, test := range []struct {
			quality int
			most    float64 // root mean square of the differences
		}{{100, 0}, {0, 12}, {20, 30}} {
			name := fmt.Sprintf("%v, quality %d", size, test.quality)
			out := webpOf(t, picture(t, photo), test.quality)
			again := decode(t, out)
			if again.Width() != size.X || again.Height() != size.Y || !again.Opaque() {
				t.Errorf("%s: got %d × %d pixels, opaque %t, want an opaque picture of the same size", name, again.Width(), again.Height(), again.Opaque())
			}
			if mean, _ := rootMeanSquare(t, again.NRGBA(), photo); mean > test.most {
				t.Errorf("%s: got a root mean square difference of %.1f, want at most %.1f", name, mean, test.most)
			}
			if len(out) > last && size.X > 100 {
				t.Errorf("%s: got %d bytes, want at most %d as with the previous quality", name, len(out), last)
			}
			last = len(out)
			if !bytes.Equal(out, webpOf(t, picture(t, photo), test.quality)) {
				t.Errorf("%s: two encodings of the same picture differ, want equal bytes", name)
			}
		}
	}
}

// TestWebPRetainsTransparencyAndProfile tests the three layouts of the format.
func TestWebPRetainsTransparencyAndProfile(t *testing.T) {
	icc := profile("RGB ", 3000)
	source := withSegment(jpegOf(t, scene.New(50, 40, 2)), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), icc...))
	for _, quality := range []int{0, 100} {
		for _, transparent := range []bool{false, true} {
			p := decode(t, source)
			if transparent {
				p.NRGBA().Pix[3] = 0
				p.SetTransparent()
			}
			out := webpOf(t, p, quality)
			info, err := pixels.Inspect(out, pixels.Default)
			if err != nil || !bytes.Equal(info.Profile, icc) || info.Width != 50 || info.Height != 40 {
				t.Fatalf("quality %d, transparent %t: got %d × %d, profile of %d bytes, %v, want 50 × 40 and %d bytes", quality, transparent, info.Width, info.Height, len(info.Profile), err, len(icc))
			}
			again := decode(t, out)
			if again.Opaque() == transparent || transparent != (again.NRGBA().Pix[3] == 0) {
				t.Errorf("quality %d, transparent %t: got opaque %t, want %t", quality, transparent, again.Opaque(), !transparent)
			}
		}
	}
}

func webpOf(t *testing.T, p *pixels.Picture, quality int) []byte {
	t.Helper()
	out, err := p.Encode(pixels.Encoding{Format: pixels.WebP, Quality: quality})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
