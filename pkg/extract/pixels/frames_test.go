package pixels_test

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

const ms = time.Millisecond

func decodeAll(t testing.TB, data []byte) *pixels.Animation {
	t.Helper()
	limits := pixels.Default
	limits.AllFrames = true
	a, release, err := decoder.DecodeAll(t.Context(), data, limits)
	if err != nil {
		t.Fatal(err)
	}
	release()
	return a
}

// below returns the frames in one picture, below each other.
func below(a *pixels.Animation) *image.NRGBA {
	width, height := a.Frames[0].Width(), a.Frames[0].Height()
	m := image.NewNRGBA(image.Rect(0, 0, width, height*len(a.Frames)))
	for i, p := range a.Frames {
		copy(m.Pix[4*width*height*i:], p.NRGBA().Pix)
	}
	return m
}

// difference returns the maximum difference of visible colors and of alpha.
func difference(t *testing.T, got, want *image.NRGBA) (most int) {
	t.Helper()
	if got.Rect != want.Rect {
		t.Fatalf("got %v, want %v", got.Rect, want.Rect)
	}
	for i := range got.Pix {
		d := int(got.Pix[i]) - int(want.Pix[i])
		if i%4 != 3 {
			d = d * int(want.Pix[i|3]) / 255
		}
		most = max(most, d, -d)
	}
	return most
}

// TestFramesEqualOthers compares all frames, and their times, with other programs (testdata/SOURCE).
func TestFramesEqualOthers(t *testing.T) {
	for name, test := range map[string]struct {
		plays  int
		delays []time.Duration
		most   int
	}{
		"gif":  {3, []time.Duration{100 * ms, 200 * ms, 70 * ms, 0, 500 * ms}, 0},
		"webp": {3, []time.Duration{100 * ms, 200 * ms, 70 * ms, 40 * ms}, 3}, // libwebp rounds when it blends
	} {
		a := decodeAll(t, read(t, "testdata/frames."+name))
		if a.Plays != test.plays || !slices.Equal(a.Delays, test.delays) {
			t.Errorf("%s: got %d times %v, want %d times %v", name, a.Plays, a.Delays, test.plays, test.delays)
		}
		if most := difference(t, below(a), decode(t, read(t, "testdata/frames-"+name+".png")).NRGBA()); most > test.most {
			t.Errorf("%s: got a difference of %d, want at most %d", name, most, test.most)
		}
	}
}

// TestFirstFrame checks that the first frame is decoded with a remark.
func TestFirstFrame(t *testing.T) {
	for name, want := range map[string]string{"gif": "only the first of 5 frames was used", "webp": "only the first of 4 frames was used"} {
		data := read(t, "testdata/frames."+name)
		p := decode(t, data)
		if !slices.Equal(p.Remarks, []string{want}) {
			t.Errorf("%s: got remarks %q, want %q", name, p.Remarks, want)
		}
		if most := difference(t, p.NRGBA(), decodeAll(t, data).Frames[0].NRGBA()); most != 0 {
			t.Errorf("%s: got a difference of %d from the first of all frames, want 0", name, most)
		}
	}
}

// TestAnimationsAreWritten checks that the frames, times and plays of a written animation are those of its source.
func TestAnimationsAreWritten(t *testing.T) {
	for _, name := range []string{"gif", "webp"} {
		source := decodeAll(t, read(t, "testdata/frames."+name))
		for _, format := range []pixels.Format{pixels.GIF, pixels.WebP} {
			out, err := source.Encode(pixels.Encoding{Format: format, Quality: 100})
			if err != nil {
				t.Fatal(err)
			}
			again := decodeAll(t, out)
			if again.Plays != source.Plays || !slices.Equal(again.Delays, source.Delays) {
				t.Errorf("%s as %s: got %d times %v, want %d times %v", name, format, again.Plays, again.Delays, source.Plays, source.Delays)
			}
			if name == "webp" && format == pixels.GIF {
				continue // it has partial transparency
			}
			if most := difference(t, below(again), below(source)); most != 0 {
				t.Errorf("%s as %s: got a difference of %d, want 0", name, format, most)
			}
		}
	}
}

// TestGIFHasSimilarColors checks a picture with more colors than a palette has.
func TestGIFHasSimilarColors(t *testing.T) {
	photo := scene.New(301, 200, 3)
	out := encode(t, picture(t, photo), pixels.GIF)
	if rms, _ := rootMeanSquare(t, decode(t, out).NRGBA(), photo); rms > 8 {
		t.Errorf("got a root mean square difference of %.1f, want at most 8", rms)
	}
}

// TestFramesAreBounded checks that the pixels of all frames count.
func TestFramesAreBounded(t *testing.T) {
	data := read(t, "testdata/frames.gif")
	limits := pixels.Limits{Pixels: 5*48*32 - 1, AllFrames: true}
	if _, err := pixels.Inspect(data, limits); err == nil || !strings.Contains(err.Error(), "5 frames of 48 × 32") {
		t.Errorf("got %v, want a limit of all frames", err)
	}
	limits.AllFrames = false
	if _, err := pixels.Inspect(data, limits); err != nil {
		t.Errorf("got %v for the first frame, want no error", err)
	}
}
