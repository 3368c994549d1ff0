package pixels_test

import (
	"context"
	"errors"
	"image"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/peak"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestMemoryIsBounded checks that decoding, every operation and encoding together stay within Info.Memory.
func TestMemoryIsBounded(t *testing.T) {
	photo := scene.New(450, 350, 4)
	p := picture(t, photo)
	encode(t, decode(t, read(t, "testdata/scene.heic")), pixels.WebP) // compile the codecs, once per process
	for name, data := range map[string][]byte{
		"JPEG": jpegOf(t, photo), "PNG": pngOf(t, photo), "WebP": encode(t, p, pixels.WebP),
		"cut JPEG": jpegOf(t, photo)[:len(jpegOf(t, photo))-20], "cut PNG": pngOf(t, photo)[:len(pngOf(t, photo))-20],
		"linear PNG": withChunk(pngOf(t, photo), "gAMA", []byte{0, 1, 0x86, 0xa0}), "raw": fujiRaw(jpegOf(t, photo)),
		"progressive": read(t, "testdata/progressive.jpg"), "HEIC": read(t, "testdata/scene.heic"), "AVIF": encode(t, p, pixels.AVIF),
		"JPEG XL": read(t, "testdata/lossy.jxl"),
	} {
		for _, to := range []pixels.Encoding{{Format: pixels.JPEG}, {Format: pixels.WebP}, {Format: pixels.WebP, Quality: 100}, {Format: pixels.AVIF}} {
			limits := pixels.Default
			limits.Encodings = []pixels.Encoding{to}
			info, err := pixels.Inspect(data, limits)
			if err != nil {
				t.Fatal(err)
			}
			used := peak.Of(func() {
				p := decode(t, data)
				p.Rotate(90)
				p.AutoLevels()
				p.Median()
				p.Blur(2)
				p.Sharpen(50)
				if _, err := p.Encode(to); err != nil {
					t.Error(err)
				}
			})
			if used > info.Memory() {
				t.Errorf("%s to %+v used %d MB, want at most %d", name, to, used>>20, info.Memory()>>20)
			}
			t.Logf("%s to %+v: %d of %d MB", name, to, used>>20, info.Memory()>>20)
		}
	}
}

// TestMemoryOfLargerResults checks that operations that make a picture larger stay within Info.Memory with Limits.Grown.
func TestMemoryOfLargerResults(t *testing.T) {
	photo := scene.New(450, 350, 4)
	encode(t, picture(t, photo), pixels.WebP) // compile the codec, once per process
	for name, data := range map[string][]byte{"JPEG": jpegOf(t, photo), "PNG": pngOf(t, photo)} {
		for _, to := range []pixels.Encoding{{Format: pixels.PNG}, {Format: pixels.WebP, Quality: 100}} {
			limits := pixels.Default
			limits.Encodings, limits.Grown = []pixels.Encoding{to}, 1000*800
			info, err := pixels.Inspect(data, limits)
			if err != nil {
				t.Fatal(err)
			}
			used := peak.Of(func() {
				p := decode(t, data)
				p.Enlarge(900, 700)
				p.Straighten(3)
				p.Pad(1000, 800, image.Pt(100, 100), [3]byte{})
				p.Blur(2)
				if _, err := p.Encode(to); err != nil {
					t.Error(err)
				}
			})
			if used > info.Memory() {
				t.Errorf("%s to %+v used %d MB, want at most %d", name, to, used>>20, info.Memory()>>20)
			}
			t.Logf("%s to %+v: %d of %d MB", name, to, used>>20, info.Memory()>>20)
		}
	}
}

// TestDecodersShareMemory checks that a picture waits for memory that another picture uses, and
// that a picture that needs more than all of the memory is rejected.
func TestDecodersShareMemory(t *testing.T) {
	data := jpegOf(t, scene.New(64, 48, 1))
	info, err := pixels.Inspect(data, pixels.Default)
	if err != nil {
		t.Fatal(err)
	}
	decoder := pixels.NewDecoder(budget.New(2*info.Memory()-1), cache) // not enough for two; a damaged picture needs more than a whole one
	_, release, err := decoder.Decode(t.Context(), data, pixels.Default)
	if err != nil {
		t.Fatal(err)
	}
	full, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := decoder.Decode(full, data, pixels.Default); !errors.Is(err, context.Canceled) {
		t.Errorf("a second picture: got %v, want %v", err, context.Canceled)
	}
	release()
	if _, _, err := decoder.Decode(t.Context(), data[:len(data)-100], pixels.Default); !errors.Is(err, pixels.ErrUnreadable) {
		t.Errorf("a damaged picture: got %v, want ErrUnreadable", err)
	}
	if _, release, err = decoder.Decode(t.Context(), data, pixels.Default); err != nil {
		t.Fatalf("after both: got error %v, want none", err) // the damaged picture must have released its memory
	}
	release()
	if _, _, err := pixels.NewDecoder(budget.New(info.Memory()-1), cache).Decode(t.Context(), data, pixels.Default); !errors.Is(err, pixels.ErrTooLarge) {
		t.Errorf("with one byte less: got %v, want ErrTooLarge", err)
	}
}
