package pixels

import (
	"image"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Errors of a picture that cannot be processed. They are permanent: a retry with the same bytes fails again.
const (
	ErrFormat     = reason.PictureFormat
	ErrUnreadable = reason.PictureUnreadable
	ErrTooLarge   = reason.PictureTooLarge
	ErrTooSmall   = reason.PictureTooSmall
)

// Limits bound the pictures that Inspect accepts. A limit of 0 is not checked.
type Limits struct {
	Bytes     int64      // maximum size of the encoded picture
	Pixels    int64      // maximum width × height
	Shortest  int        // minimum length of the shorter side, in pixels
	Longest   int        // maximum length of the longer side, in pixels
	Encodings []Encoding // the encodings of the results, for which memory is reserved
	// Transparent means that the caller will make pixels transparent, which needs more memory for a
	// WebP.
	Transparent bool
	Beside      int64 // additional bytes that the caller needs
	Grown       int64 // pixels of the largest picture that the caller will make of it; 0 if it does not become larger
	// Box is the size in pixels to which the caller will shrink the upright picture; 0 for no limit of a side. A JPEG that
	// is larger may be decoded at a half, a quarter or an eighth of its size, which takes less time.
	Box       image.Point
	AllFrames bool // decode all frames of an animation; otherwise, the first one, with a remark
	// Measured means that gray values of TIFF are measurements: the least one becomes black and the greatest one white.
	Measured bool
	Tolerant bool // return what can be read of a truncated picture, with a remark
	SRGB     bool // convert the colors to sRGB; otherwise, a profile for RGB or gray is kept
}

// Default contains the limits for photos: 20 MB, 50 megapixels, sides of 16 to 12,000 pixels.
var Default = Limits{Bytes: 20_000_000, Pixels: 50_000_000, Shortest: 16, Longest: 12_000}

func (l Limits) checkBytes(n int) error {
	switch {
	case n == 0:
		return ErrUnreadable.With(reason.IsEmpty)
	case l.Bytes > 0 && int64(n) > l.Bytes:
		return ErrTooLarge.With(reason.BytesLimit, n, l.Bytes)
	}
	return nil
}

func (l Limits) checkSides(w, h int) error {
	switch {
	case w <= 0 || h <= 0:
		return ErrUnreadable.With(reason.HeaderStates, w, h)
	case l.Longest > 0 && max(w, h) > l.Longest:
		return ErrTooLarge.With(reason.SidesLimit, w, h, l.Longest)
	case l.Pixels > 0 && int64(w) > l.Pixels/int64(h):
		return ErrTooLarge.With(reason.PixelsLimit, w, h, l.Pixels)
	case min(w, h) < l.Shortest:
		return ErrTooSmall.With(reason.SidesMinimum, w, h, l.Shortest)
	}
	return nil
}
