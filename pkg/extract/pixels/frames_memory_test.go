package pixels_test

import (
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/peak"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestMemoryOfFramesIsBounded checks that decoding, changing and encoding all frames stays within Info.Memory.
func TestMemoryOfFramesIsBounded(t *testing.T) {
	a := &pixels.Animation{}
	for i := range 4 {
		a.Frames = append(a.Frames, picture(t, scene.New(400, 300, uint32(i))))
		a.Delays = append(a.Delays, 50*time.Millisecond)
	}
	for _, from := range []pixels.Encoding{{Format: pixels.GIF}, {Format: pixels.WebP}} {
		data, err := a.Encode(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range []pixels.Encoding{{Format: pixels.GIF}, {Format: pixels.WebP}, {Format: pixels.WebP, Quality: 100}} {
			limits := pixels.Default
			limits.Encodings, limits.AllFrames = []pixels.Encoding{to}, true
			info, err := pixels.Inspect(data, limits)
			if err != nil {
				t.Fatal(err)
			}
			used := peak.Of(func() {
				all := decodeAll(t, data)
				for _, p := range all.Frames {
					p.Rotate(90)
					p.AutoLevels()
					p.Blur(2)
				}
				if _, err := all.Encode(to); err != nil {
					t.Error(err)
				}
			})
			if used > info.Memory() {
				t.Errorf("%+v to %+v used %d MB, want at most %d", from, to, used>>20, info.Memory()>>20)
			}
			t.Logf("%+v to %+v: %d of %d MB", from, to, used>>20, info.Memory()>>20)
		}
	}
}
