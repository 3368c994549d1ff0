package photo_test

import (
	"os"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

// TestFrames checks that an edit applies to all frames if that is requested, and otherwise to the first one, which is
// reported.
func TestFrames(t *testing.T) {
	s := newStudio(t, photo.Config{Limits: pixels.Default})
	const first = "only the first of 5 frames was used"
	for name, test := range map[string]struct {
		request  photo.Request
		format   pixels.Format
		frames   int
		degraded string
	}{
		"first":       {photo.Request{Prompt: "flip horizontal, resize 24 px"}, pixels.GIF, 1, first},
		"all":         {photo.Request{Prompt: "flip horizontal, resize 24 px", Frames: "all"}, pixels.GIF, 5, ""},
		"all as WebP": {photo.Request{Prompt: "sepia, resize 24 px, as webp", Frames: "all"}, pixels.WebP, 5, ""},
		"all as JPEG": {photo.Request{Prompt: "resize 24 px, as jpeg", Frames: "all"}, pixels.JPEG, 1, first},
		"once":        {photo.Request{Prompt: "crop 1:1 to faces, resize 16 px", Frames: "all"}, pixels.GIF, 5, "no face: the center was used"},
	} {
		data, err := os.ReadFile("../pixels/testdata/frames.gif")
		if err != nil {
			t.Fatal(err)
		}
		e := edit(t, s, data, test.request)
		info, err := pixels.Inspect(e.Image, pixels.Default)
		if err != nil {
			t.Fatal(err)
		}
		if e.Format != test.format || info.Format != test.format || info.Frames != test.frames || info.Height != 16 || e.Degraded != test.degraded {
			t.Errorf("%s: got %s with %d frames of height %d, degraded %q; want %s with %d, 16, %q",
				name, info.Format, info.Frames, info.Height, e.Degraded, test.format, test.frames, test.degraded)
		}
	}
}
