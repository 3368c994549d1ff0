package pixels

import (
	"errors"
	"fmt"
)

// Errors of a picture that cannot be used. They are final: the same bytes fail again.
var (
	ErrFormat     = errors.New("the file is not a JPEG, PNG, WebP or HEIC picture")
	ErrUnreadable = errors.New("the picture cannot be read")
	ErrTooLarge   = errors.New("the picture is too large")
	ErrTooSmall   = errors.New("the picture is too small")
	ErrAnimated   = errors.New("the picture is animated; only still pictures are supported")
)

// Limits bound what Inspect accepts. Fields that are 0 are not checked.
type Limits struct {
	Bytes    int64 // of the encoded picture
	Pixels   int64 // width × height
	Shortest int   // pixels of either side, at least
	Longest  int   // pixels of either side, at most
	WebP     int   // the quality of a WebP that the picture is written as, for which memory is held; 0 for none
	// Transparent says that pixels of the picture are made transparent, for which a WebP takes more.
	Transparent bool
	Beside      int64 // bytes that the attempt takes beside those for the picture
	More        bool  // GIF, BMP and TIFF are read, too, and the first picture of an animated one
}

// Default are the limits of a photo: 20 MB, 50 megapixels, sides of 16 to 12,000.
var Default = Limits{Bytes: 20_000_000, Pixels: 50_000_000, Shortest: 16, Longest: 12_000}

func (l Limits) checkBytes(n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%w: it is empty", ErrUnreadable)
	case l.Bytes > 0 && int64(n) > l.Bytes:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, l.Bytes)
	}
	return nil
}

func (l Limits) checkSides(w, h int) error {
	switch {
	case w <= 0 || h <= 0:
		return fmt.Errorf("%w: its header gives %d × %d pixels", ErrUnreadable, w, h)
	case l.Longest > 0 && max(w, h) > l.Longest:
		return fmt.Errorf("%w: %d × %d pixels, at most %d on a side", ErrTooLarge, w, h, l.Longest)
	case l.Pixels > 0 && int64(w) > l.Pixels/int64(h):
		return fmt.Errorf("%w: %d × %d pixels, at most %d in all", ErrTooLarge, w, h, l.Pixels)
	case min(w, h) < l.Shortest:
		return fmt.Errorf("%w: %d × %d pixels, at least %d on a side", ErrTooSmall, w, h, l.Shortest)
	}
	return nil
}
