package pixels_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// small limits the time of one fuzzed picture.
var small = pixels.Limits{Bytes: 1 << 16, Pixels: 1 << 14, Shortest: 1, Longest: 256}

// seeds adds one picture of each format, with metadata, to the corpus.
func seeds(f *testing.F) {
	p := picture(f, scene.New(40, 24, 1))
	for _, format := range []pixels.Format{pixels.AVIF, pixels.JPEG, pixels.PNG, pixels.WebP} {
		f.Add(encode(f, p, format))
	}
	f.Add(withSegment(encode(f, p, pixels.JPEG), 0xe1, append([]byte("Exif\x00\x00"), exif(6)...)))
	f.Add(withSegment(encode(f, p, pixels.JPEG), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), profile("RGB ", 140)...)))
	f.Add(withChunk(encode(f, p, pixels.PNG), "iCCP", append([]byte("x\x00\x00"), deflated(f, 200)...)))
	f.Add(riff("VP8X", "\x00\x00\x00\x00\x1f\x00\x00\x1f\x00\x00", "EXIF", string(exif(3)), "VP8L", vp8l(32, 32)))
	f.Add(fujiRaw(encode(f, p, pixels.JPEG)))
	f.Add(canonRaw(encode(f, p, pixels.JPEG)))
	f.Add(withSegment(encode(f, p, pixels.JPEG), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), matrixProfile("RGB ")...)))
	files, err := filepath.Glob("testdata/*/*.[tb][im][fp]")
	if err != nil || len(files) < 10 {
		f.Fatalf("got %d files, %v, want the BMP and TIFF", len(files), err)
	}
	for _, name := range []string{
		"sub-2x2_1x1_1x2.jpg", "lost-40-bytes.jpg", "png-gama10.png", "png-chrm-adobe.png", "png-no-iend.png",
		"scene.heic", "alpha.jxl", "frames.gif", "frames.webp", "lossy-alpha.webp",
	} {
		files = append(files, filepath.Join("testdata", name))
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// final reports whether err wraps one of the package's errors, which are user-facing.
func final(err error) bool {
	for _, known := range []error{pixels.ErrFormat, pixels.ErrUnreadable, pixels.ErrTooLarge, pixels.ErrTooSmall} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// FuzzInspect checks that Inspect returns one of the package's errors, or a size and memory within
// the limits.
func FuzzInspect(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := pixels.Inspect(data, small)
		if err != nil {
			if !final(err) {
				t.Fatalf("got error %v, want one of the package's errors", err)
			}
			return
		}
		if info.Width < 1 || info.Height < 1 || info.Width*info.Height > 1<<14 || info.Orientation < 1 || info.Orientation > 8 || info.Memory() > 64<<20 {
			t.Fatalf("got %+v, memory %d, want values within the limits", info, info.Memory())
		}
	})
}

// FuzzDecode checks that a picture accepted by Inspect is decoded or fails with ErrUnreadable, and
// that a decoded picture can be changed and written in every format.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := small
		limits.Tolerant, limits.SRGB = len(data)%2 == 0, len(data)%3 == 0
		p, release, err := decoder.Decode(t.Context(), data, limits)
		if err != nil {
			if !final(err) {
				t.Fatalf("got error %v, want one of the package's errors", err)
			}
			return
		}
		defer release()
		p.Fit(20, 0)
		p.AutoLevels()
		p.Sharpen(50)
		for _, format := range []pixels.Format{pixels.AVIF, pixels.JPEG, pixels.PNG, pixels.WebP} {
			if _, err := pixels.Inspect(encode(t, p, format), small); err != nil {
				t.Fatalf("inspecting the encoding as %s: %v", format, err)
			}
		}
	})
}
