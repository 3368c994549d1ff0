package pixels

import (
	"errors"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/pixels/icc"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// Info describes a picture as stated in its header.
type Info struct {
	Format        Format
	Width, Height int    // as stored, before the orientation is applied
	Orientation   int    // 1 to 8 as in EXIF; 1 when absent or invalid
	Profile       []byte // the ICC profile for RGB, gray or CMYK, nil when absent or damaged
	Bytes         int    // size of the encoded picture
	Frames        int    // 1 for a still picture; 0 for an animation with an unknown number of frames

	format   *format
	sequence *sequence  // nil if only the first frame can be read
	all      bool       // Limits.AllFrames
	writes   []Encoding // Limits.Encodings
	beside   int64      // Limits.Beside
	grown    int64      // Limits.Grown
	opaque   bool       // inverse of Limits.Transparent
	kept     int64      // bytes that the decoder allocates
	decoding int64      // bytes that the decoder needs only while it runs
	jxl      jxlHeader
	master   uint32          // the item of HEIF to decode instead of the primary one, which is its thumbnail; 0 for the primary one
	solid    bool            // no pixel can be transparent
	clap     image.Rectangle // the part of the picture that is shown; empty for all of it
	tolerant bool            // Limits.Tolerant
	measured bool            // Limits.Measured
	srgb     bool            // Limits.SRGB
	remarks  []string
	preview  []byte         // the part of a raw file that is decoded
	space    *icc.Transform // of the samples, if the file states a color space other than sRGB without a profile
	box      image.Point    // Limits.Box
	unusual  bool           // needs the slower decoder of its format, which supports damaged and unusual files
}

// Inspect reads the header of a picture without decoding it. Its errors wrap ErrFormat, ErrTooLarge,
// ErrTooSmall or ErrUnreadable and state the reason.
func Inspect(data []byte, l Limits) (Info, error) { return inspect(data, l, false) }

// inspect reads the header for the usual decoder of the format, or for the one that supports damaged files.
func inspect(data []byte, l Limits, damaged bool) (Info, error) {
	if err := l.checkBytes(len(data)); err != nil {
		return Info{}, err
	}
	info := Info{
		Orientation: 1, Bytes: len(data), Frames: 1, all: l.AllFrames, writes: l.Encodings, beside: l.Beside, grown: l.Grown, opaque: !l.Transparent,
		tolerant: l.Tolerant, measured: l.Measured, srgb: l.SRGB, box: l.Box, unusual: damaged,
	}
	if info.format = sniff(data); info.format == nil {
		return Info{}, ErrFormat
	}
	info.Format = info.format.name
	config, err := info.format.header(&info, data)
	if err != nil {
		return Info{}, unreadable(err)
	}
	info.Width, info.Height = config.Width, config.Height
	if err := l.checkSides(info.Width, info.Height); err != nil {
		return info, err
	}
	return info, info.checkFrames(l.Pixels)
}

// checkFrames checks the sum of the pixels of all frames, if all are decoded.
func (i Info) checkFrames(most int64) error {
	if n := int64(i.decoded()); most > 0 && int64(i.Width)*int64(i.Height) > most/n {
		return ErrTooLarge.With(reason.FramesLimit, n, i.Width, i.Height, most)
	}
	return nil
}

// decoded returns the number of frames that are decoded.
func (i Info) decoded() int {
	if i.all && i.sequence != nil {
		return len(i.sequence.frames)
	}
	return 1
}

// unreadable returns an error that is ErrUnreadable, or nil. A picture for which a codec needs more memory or time than
// it may use is ErrTooLarge instead, and an error that may pass, such as a codec that is not compiled yet, is unchanged.
func unreadable(err error) error {
	if err == nil || errors.Is(err, ErrUnreadable) || errors.Is(err, ErrTooLarge) {
		return err
	}
	switch _, permanent, stated := reason.Find(err); {
	case stated && !permanent:
		return err
	case errors.Is(err, wasm.ErrMemory):
		return fmt.Errorf("%w: %w", ErrTooLarge.With(reason.DecodingMemory), err)
	case errors.Is(err, wasm.ErrTime):
		return fmt.Errorf("%w: %w", ErrTooLarge.With(reason.DecodingTime), err)
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// Memory returns the maximum memory for processing the picture, in bytes: the encoded picture, the
// memory of its decoder, two copies in RGB (an operation reads one and writes the other), two
// planes for filters, the encoded result, and Limits.Beside, all for the larger size of Limits.Grown. The constants are properties of the
// decoders and encoders; TestMemoryIsBounded measures them.
func (i Info) Memory() int64 {
	const (
		fixed  = 8 << 20 // tables, compression windows and similar
		rgb    = 4
		planes = 2
		result = 4
	)
	size := max(int64(i.Width)*int64(i.Height), i.grown)
	writes, encoder := size*(rgb+planes+result), int64(0)
	for _, e := range i.writes {
		needed := e.memory(size, i.opaque && (i.Format == JPEG || i.solid))
		writes, encoder = max(writes, size*result+needed), max(encoder, needed)
	}
	more := int64(i.decoded()-1) * size * (rgb + result) // besides the frame that is changed
	if more > 0 {
		more += encoder // of the frame before, which may not yet be collected
	}
	return fixed + 2*int64(i.Bytes) + max(i.decoding+size*rgb, i.kept+size*rgb+writes+more) + i.beside
}
