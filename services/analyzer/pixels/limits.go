package pixels

import (
	"errors"
	"fmt"
)

// Errors of a picture that cannot be processed. They are permanent: the same bytes fail again.
var (
	ErrFormat     = errors.New("the file is not a JPEG, PNG, WebP or HEIC picture")
	ErrUnreadable = errors.New("the picture cannot be read")
	ErrTooLarge   = errors.New("the picture is too large")
	ErrTooSmall   = errors.New("the picture is too small")
	ErrAnimated   = errors.New("the picture is animated; only still pictures are supported")
)

// Limits bound what Inspect accepts. A limit of 0 is not checked.
type Limits struct {
	Bytes    int64 // of the encoded picture
	Pixels   int64 // width × height
	Shortest int   // of the shorter side, in pixels
	Longest  int   // of the longer side, in pixels
	WebP     int   // the quality of the WebP that the picture will be written as, for which memory is reserved; 0 for none
	// Transparent reports that pixels of the picture will be made transparent, which takes more memory
	// in a WebP.
	Transparent bool
	Beside      int64 // bytes that the caller needs in addition
	More        bool  // also read GIF, of which the first picture, BMP and TIFF
}

// Default has the limits of a photo: 20 MB, 50 megapixels, sides of 16 to 12,000 pixels.
var Default = Limits{Bytes: 20_000_000, Pixels: 50_000_000, Shortest: 16, Longest: 12_000}

func (l Limits) checkBytes(n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%w: the file is empty", ErrUnreadable)
	case l.Bytes > 0 && int64(n) > l.Bytes:
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, n, l.Bytes)
	}
	return nil
}

func (l Limits) checkSides(w, h int) error {
	switch {
	case w <= 0 || h <= 0:
		return fmt.Errorf("%w: the header gives %d × %d pixels", ErrUnreadable, w, h)
	case l.Longest > 0 && max(w, h) > l.Longest:
		return fmt.Errorf("%w: %d × %d pixels, the limit is %d for each side", ErrTooLarge, w, h, l.Longest)
	case l.Pixels > 0 && int64(w) > l.Pixels/int64(h):
		return fmt.Errorf("%w: %d × %d pixels, the limit is %d pixels", ErrTooLarge, w, h, l.Pixels)
	case min(w, h) < l.Shortest:
		return fmt.Errorf("%w: %d × %d pixels, each side needs at least %d", ErrTooSmall, w, h, l.Shortest)
	}
	return nil
}
