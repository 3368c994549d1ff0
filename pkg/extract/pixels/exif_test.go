package pixels_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// tiffOrientation returns a TIFF header with an Orientation tag of the given type in the given byte order.
func tiffOrientation(order binary.AppendByteOrder, kind uint16, value uint32) []byte {
	b := []byte("II*\x00")
	if order.String() == binary.BigEndian.String() {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, kind)
	b = order.AppendUint32(b, 1)
	switch kind {
	case 1, 6:
		b = append(b, byte(value), 0, 0, 0)
	case 3, 8:
		b = append(order.AppendUint16(b, uint16(value)), 0, 0)
	default:
		b = order.AppendUint32(b, value)
	}
	return append(b, 0, 0, 0, 0)
}

// TestOrientationTypes checks that an orientation of any integer type (TIFF 6.0, section 2) is applied in each container
// and byte order, as exiftool and libvips do.
func TestOrientationTypes(t *testing.T) {
	photo := scene.New(64, 48, 1)
	jpeg, png, p := jpegOf(t, photo), pngOf(t, photo), picture(t, photo)
	lossless, err := p.Encode(pixels.Encoding{Format: pixels.WebP, Quality: 100})
	if err != nil {
		t.Fatal(err)
	}
	vp8l := string(lossless[20:])
	canvas := "\x08\x00\x00\x00\x3f\x00\x00\x2f\x00\x00" // 64 × 48, with EXIF
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for kind, want := range map[uint16]int{1: 6, 3: 6, 4: 6, 6: 6, 8: 6, 9: 6, 5: 1, 2: 1, 11: 1} { // not rational, text or float
			exif := tiffOrientation(order, kind, 6)
			for format, data := range map[string][]byte{
				"JPEG": withSegment(jpeg, 0xe1, append([]byte("Exif\x00\x00"), exif...)),
				"PNG":  withChunk(png, "eXIf", exif),
				"WebP": riff("VP8X", canvas, "VP8L", vp8l, "EXIF", string(exif)),
			} {
				t.Run(fmt.Sprintf("%s/%v/%d", format, order, kind), func(t *testing.T) {
					info, err := pixels.Inspect(data, pixels.Default)
					if err != nil || info.Orientation != want {
						t.Fatalf("got orientation %d, %v, want %d", info.Orientation, err, want)
					}
					if got := decode(t, data); (got.Width() == 48) != (want == 6) {
						t.Errorf("got %d × %d with orientation %d", got.Width(), got.Height(), want)
					}
				})
			}
		}
	}
}

// TestFirstOfTwoEXIFSegments checks that the first of several EXIF segments applies, as in libvips, ImageMagick, exiftool
// and Pillow.
func TestFirstOfTwoEXIFSegments(t *testing.T) {
	for name, want := range map[string]int{"two-exif-6-then-1.jpg": 6, "exif-long-type.jpg": 6} {
		data := read(t, "testdata/"+name)
		info, err := pixels.Inspect(data, pixels.Default)
		if err != nil || info.Orientation != want {
			t.Errorf("%s: got orientation %d, %v, want %d", name, info.Orientation, err, want)
		}
		m := decode(t, data).NRGBA() // a red square at the upper left of the stored picture, a blue one at the lower right
		if red, blue := m.NRGBAAt(110, 10), m.NRGBAAt(10, 150); m.Rect.Dx() != 120 || red.R < 200 || red.B > 90 || blue.B < 200 || blue.R > 90 {
			t.Errorf("%s: got %v with %v at the upper right and %v at the lower left, want red and blue", name, m.Rect, red, blue)
		}
	}
}
