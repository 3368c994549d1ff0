package pixels_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

func deflated(t testing.TB, zeros int) []byte {
	t.Helper()
	return deflate(t, make([]byte, zeros))
}

func deflate(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestOnlyProfileIsRetained checks that conversion between any two formats retains the color profile
// and no other metadata, such as the location of a photo or a comment.
func TestOnlyProfileIsRetained(t *testing.T) {
	kept := profile("RGB ", 70_001) // more than one JPEG segment
	photo := jpegOf(t, scene.New(64, 48, 1))
	secret := []byte("GPS 48.8584 N 2.2945 E")
	photo = withSegment(photo, 0xe1, append([]byte("Exif\x00\x00"), append(exif(1), secret...)...))
	photo = withSegment(photo, 0xe1, append([]byte("http://ns.adobe.com/xap/1.0/\x00"), secret...))
	photo = withSegment(photo, 0xed, secret)
	photo = withSegment(photo, 0xfe, secret)
	photo = withSegment(photo, 0xe2, append([]byte("ICC_PROFILE\x00\x02\x02"), kept[65_519:]...))
	photo = withSegment(photo, 0xe2, append([]byte("ICC_PROFILE\x00\x01\x02"), kept[:65_519]...))
	for _, first := range []pixels.Format{pixels.JPEG, pixels.PNG, pixels.WebP} {
		for _, second := range []pixels.Format{pixels.JPEG, pixels.PNG, pixels.WebP} {
			data := append(encode(t, decode(t, photo), first), secret...) // bytes after the end of a file are dropped
			out := encode(t, decode(t, data), second)
			info, err := pixels.Inspect(out, pixels.Default)
			if err != nil {
				t.Fatal(err)
			}
			if info.Format != second || info.Width != 64 || info.Height != 48 || !bytes.Equal(info.Profile, kept) {
				t.Errorf("%s to %s: got %s of %d × %d with a profile of %d bytes, want %s of 64 × 48 with the profile of %d bytes", first, second, info.Format, info.Width, info.Height, len(info.Profile), second, len(kept))
			}
			if bytes.Contains(out, secret[:8]) || bytes.Contains(out, []byte("Exif")) {
				t.Errorf("%s to %s: got metadata other than the profile, want none", first, second)
			}
		}
	}
}

// TestOrientation compares each orientation with EXIF 2.32, which defines it by the visual side of
// the first row and the first column.
func TestOrientation(t *testing.T) {
	const width, height = 64, 32
	corner := map[string]color.NRGBA{ // sides of the visual picture
		"top left": {R: 255, A: 255}, "top right": {G: 255, A: 255}, "bottom left": {B: 255, A: 255}, "bottom right": {R: 255, G: 255, B: 255, A: 255},
	}
	opposite := map[string]string{"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
	for o, sides := range [][2]string{
		1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"},
		5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"},
	} {
		if o == 0 {
			continue
		}
		row, column := sides[0], sides[1]
		stored := image.NewNRGBA(image.Rect(0, 0, width, height))
		if row == "left" || row == "right" {
			stored = image.NewNRGBA(image.Rect(0, 0, height, width))
		}
		size := stored.Rect.Size()
		for y := range size.Y {
			for x := range size.X {
				v, h := row, column
				if y >= size.Y/2 {
					v = opposite[row]
				}
				if x >= size.X/2 {
					h = opposite[column]
				}
				if v == "left" || v == "right" {
					v, h = h, v
				}
				stored.SetNRGBA(x, y, corner[v+" "+h])
			}
		}
		for format, data := range map[string][]byte{
			"JPEG": withSegment(jpegOf(t, stored), 0xe1, append([]byte("Exif\x00\x00"), exif(uint16(o))...)),
			"PNG":  withChunk(pngOf(t, stored), "eXIf", exif(uint16(o))),
		} {
			m := decode(t, data).NRGBA()
			if m.Rect.Dx() != width || m.Rect.Dy() != height {
				t.Errorf("%s, orientation %d: got %v, want %d × %d", format, o, m.Rect, width, height)
				continue
			}
			for name, at := range map[string]image.Point{"top left": {2, 2}, "top right": {61, 2}, "bottom left": {2, 29}, "bottom right": {61, 29}} {
				if got := m.NRGBAAt(at.X, at.Y); distance(got, corner[name]) > 6 {
					t.Errorf("%s, orientation %d, %s: got %v, want %v", format, o, name, got, corner[name])
				}
			}
		}
	}
}

// distance returns the largest difference of any channel.
func distance(a, b color.NRGBA) int {
	most := 0
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		most = max(most, d, -d)
	}
	return most
}

// TestPNGHas8Bits checks that a photo that was not converted to RGB is written with 8 bits per channel.
func TestPNGHas8Bits(t *testing.T) {
	p := decode(t, jpegOf(t, scene.New(64, 48, 1)))
	config, err := png.DecodeConfig(bytes.NewReader(encode(t, p, pixels.PNG)))
	if err != nil || config.ColorModel != color.RGBAModel {
		t.Errorf("got color model %v, %v, want 8-bit RGBA", config.ColorModel, err)
	}
}
