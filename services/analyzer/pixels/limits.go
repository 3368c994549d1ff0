package pixels

import (
	"errors"
	"fmt"
)

// Errors of a picture that cannot be processed. They are permanent: a retry with the same bytes fails again.
var (
	ErrFormat     = errors.New("the file is not a JPEG, PNG, WebP or HEIC picture")
	ErrUnreadable = errors.New("the picture cannot be read")
	ErrTooLarge   = errors.New("the picture is too large")
	ErrTooSmall   = errors.New("the picture is too small")
	ErrAnimated   = errors.New("the picture is animated; only still pictures are supported")
)

// Limits bound the pictures that Inspect accepts. A limit of 0 is not checked.
type Limits struct {
	Bytes    int64 // maximum size of the encoded picture
	Pixels   int64 // maximum width × height
	Shortest int   // minimum length of the shorter side, in pixels
	Longest  int   // maximum length of the longer side, in pixels
	WebP     int   // quality of the WebP encoding for which memory is reserved; 0 for none
	// Transparent means that the caller will make pixels transparent, which needs more memory for a
	// WebP.
	Transparent bool
	Beside      int64 // additional bytes that the caller needs
	More        bool  // also accept GIF (first frame only), BMP and TIFF
}

// Default contains the limits for photos: 20 MB, 50 megapixels, sides of 16 to 12,000 pixels.
var Default = Limits{Bytes: 20_000_000, Pixels: 50_000_000, Shortest: 16, Longest: 12_000}

func (l Limits) checkBytes(n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%w: the file is empty", ErrUnreadable)
	case l.Bytes > 0 && int64(n) > l.Bytes:
		return fmt.Errorf("%w: %d bytes; the limit is %d", ErrTooLarge, n, l.Bytes)
	}
	return nil
}

func (l Limits) checkSides(w, h int) error {
	switch {
	case w <= 0 || h <= 0:
		return fmt.Errorf("%w: the header states %d × %d pixels", ErrUnreadable, w, h)
	case l.Longest > 0 && max(w, h) > l.Longest:
		return fmt.Errorf("%w: %d × %d pixels; the limit is %d for each side", ErrTooLarge, w, h, l.Longest)
	case l.Pixels > 0 && int64(w) > l.Pixels/int64(h):
		return fmt.Errorf("%w: %d × %d pixels; the limit is %d pixels", ErrTooLarge, w, h, l.Pixels)
	case min(w, h) < l.Shortest:
		return fmt.Errorf("%w: %d × %d pixels; each side must have at least %d", ErrTooSmall, w, h, l.Shortest)
	}
	return nil
}
