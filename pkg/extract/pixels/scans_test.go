package pixels_test

import (
	"context"
	"errors"
	"image"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// TestManyScansAreRefused checks that a JPEG with many scans is refused before it is decoded: a scan of a few bytes
// takes as long as one of the whole picture.
func TestManyScansAreRefused(t *testing.T) {
	data := jpegOf(t, image.NewGray(image.Rect(0, 0, 64, 64)))
	scan := []byte("\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00\x00")
	for range 1000 {
		data = append(data, scan...)
	}
	if _, err := pixels.Inspect(data, pixels.Default); !errors.Is(err, pixels.ErrTooLarge) {
		t.Errorf("got %v, want %v", err, pixels.ErrTooLarge)
	}
}

// afterHeader is done when it has been asked often enough for the decoder to have begun.
type afterHeader struct {
	context.Context
	left int
}

func (a *afterHeader) Err() error {
	if a.left--; a.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledDecoderStops checks that each decoder stops reading when its context is done.
func TestCanceledDecoderStops(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 600, 600))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 3)
	}
	for name, data := range map[string][]byte{"jpeg": jpegOf(t, m), "png": pngOf(t, m)} {
		ctx := &afterHeader{Context: t.Context(), left: 3}
		if _, _, err := decoder.Decode(ctx, data, pixels.Default); err == nil || errors.Is(err, pixels.ErrUnreadable) {
			t.Errorf("%s: got %v, want the decoder to stop", name, err)
		}
	}
}
