package pixels_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestReadRights reads the statements that exiftool wrote as EXIF, XMP and IPTC, and checks that results contain them and
// neither the location nor the serial number.
func TestReadRights(t *testing.T) {
	files, err := filepath.Glob("testdata/rights/*.*g")
	if err != nil || len(files) != 6 {
		t.Fatalf("got %v, %v, want 6 files", files, err)
	}
	for _, file := range files {
		data := read(t, file)
		want := pixels.Rights{Artist: "Jané Doe", Copyright: "© 2026 Jané Doe"}
		if strings.Contains(file, "xmp") {
			want.Artist = "Jané Doe; Max"
		}
		got := pixels.ReadRights(data)
		if got != want {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
		for _, format := range []pixels.Format{pixels.JPEG, pixels.PNG, pixels.WebP} {
			out, err := pixels.WithRights(encode(t, decode(t, data), format), format, got)
			if err != nil {
				t.Fatal(err)
			}
			if again := pixels.ReadRights(out); again != want {
				t.Errorf("%s as %s: got %+v, want %+v", file, format, again, want)
			}
			for _, secret := range []string{"GPS", "SN12345", "Paris", "xmp", "8BIM"} {
				if bytes.Contains(out, []byte(secret)) {
					t.Errorf("%s as %s: the result contains %s", file, format, secret)
				}
			}
			if p := decode(t, out); p.Width() != 64 || p.Height() != 48 {
				t.Errorf("%s as %s: got %d × %d, want 64 × 48", file, format, p.Width(), p.Height())
			}
		}
	}
}

// TestWithRights checks results with a color profile or transparency, long and short statements, and formats without a place.
func TestWithRights(t *testing.T) {
	p := scene.New(64, 48, 1)
	p.Pix[3] = 0
	kept := profile("RGB ", 600)
	source := withSegment(jpegOf(t, scene.New(64, 48, 1)), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), kept...))
	for _, r := range []pixels.Rights{{Artist: "A"}, {Copyright: "abc"}, {"Artist", "© 2026"}, {Copyright: strings.Repeat("é", 1000)}} {
		for _, format := range []pixels.Format{pixels.JPEG, pixels.PNG, pixels.WebP} {
			for name, encoded := range map[string][]byte{
				"transparent": encode(t, picture(t, p), format), "with a profile": encode(t, decode(t, source), format),
			} {
				out, err := pixels.WithRights(encoded, format, r)
				if err != nil {
					t.Fatal(err)
				}
				info, err := pixels.Inspect(out, pixels.Default)
				if err != nil || name == "with a profile" && !bytes.Equal(info.Profile, kept) || info.Orientation != 1 {
					t.Errorf("%s, %s: got a profile of %d bytes, orientation %d, %v, want %d bytes, 1", format, name, len(info.Profile), info.Orientation, err, len(kept))
				}
				if got := pixels.ReadRights(out); got != r {
					t.Errorf("%s, %s: got %+v, want %+v", format, name, got, r)
				}
				before, after := decode(t, encoded), decode(t, out)
				if rms, _ := rootMeanSquare(t, before.NRGBA(), after.NRGBA()); rms != 0 || before.Opaque() != after.Opaque() {
					t.Errorf("%s, %s: the pixels differ from those without statements", format, name)
				}
			}
		}
	}
	if _, err := pixels.WithRights(nil, pixels.GIF, pixels.Rights{Artist: "A"}); !errors.Is(err, pixels.ErrNoRights) {
		t.Errorf("GIF: got %v, want ErrNoRights", err)
	}
	if got := pixels.ReadRights([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\xff\xff\xff\xff")); got != (pixels.Rights{}) {
		t.Errorf("a damaged file: got %+v, want none", got)
	}
}
