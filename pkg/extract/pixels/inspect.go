package pixels

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// Format is a picture format. Its value is the name in the API.
type Format string

// Picture formats. HEIC is supported for reading only.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
	HEIC Format = "heic"
)

// MediaType returns the MIME type of the format.
func (f Format) MediaType() string { return "image/" + string(f) }

// Sniff detects the format of a file from its first 32 bytes. It returns "" for other formats.
func Sniff(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(head, []byte(pngSignature)):
		return PNG
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return WebP
	case heicIncluded && isHEIC(head):
		return HEIC
	}
	return ""
}

// Info describes a picture as stated in its header.
type Info struct {
	Format        Format
	Width, Height int    // as stored, before the orientation is applied
	Orientation   int    // 1 to 8 as in EXIF; 1 when absent or invalid
	Profile       []byte // the ICC profile, nil when absent or damaged
	Bytes         int    // size of the encoded picture

	animated bool
	webp     int   // Limits.WebP
	beside   int64 // Limits.Beside
	opaque   bool  // inverse of Limits.Transparent
	kept     int64 // bytes that the decoder allocates
}

// Inspect reads the header of a picture without decoding it. Its errors wrap ErrFormat, ErrTooLarge,
// ErrTooSmall, ErrAnimated or ErrUnreadable and state the reason.
func Inspect(data []byte, l Limits) (Info, error) {
	if err := l.checkBytes(len(data)); err != nil {
		return Info{}, err
	}
	info := Info{Format: Sniff(data), Orientation: 1, Bytes: len(data), webp: l.WebP, beside: l.Beside, opaque: !l.Transparent}
	if info.Format == "" && l.More {
		info.Format = sniffMore(data)
	}
	config, err := info.header(data)
	if err != nil {
		return Info{}, err
	}
	info.Width, info.Height = config.Width, config.Height
	if info.animated && !l.More {
		return Info{}, ErrAnimated
	}
	return info, l.checkSides(info.Width, info.Height)
}

// header reads the size with the decoder's own parser, because the decoder allocates memory for that
// size, and the rest with a scan of the container.
func (i *Info) header(data []byte) (config image.Config, err error) {
	switch i.Format {
	case JPEG:
		if err := checkScans(data); err != nil {
			return config, err
		}
		i.scanJPEG(data)
		config, err = jpeg.DecodeConfig(bytes.NewReader(data))
	case PNG:
		i.scanPNG(data)
		config, err = png.DecodeConfig(bytes.NewReader(data))
	case WebP:
		config, err = i.scanWebP(data)
	case HEIC:
		config, err = i.scanHEIC(data)
	case GIF, BMP, TIFF:
		config, err = i.scanMore(data)
	default:
		return config, ErrFormat
	}
	return config, unreadable(err)
}

// unreadable returns an error that is ErrUnreadable, or nil. It keeps the reason that err states.
func unreadable(err error) error {
	if err == nil || errors.Is(err, ErrUnreadable) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// Memory returns the maximum memory for processing the picture, in bytes: the encoded picture, the
// memory of its decoder, two copies in RGB (an operation reads one and writes the other), two
// planes for filters, the encoded result, and Limits.Beside. The constants are properties of the
// decoders and encoders; TestMemoryIsBounded measures them.
func (i Info) Memory() int64 {
	const (
		fixed  = 8 << 20 // tables, compression windows and similar
		rgb    = 4
		planes = 2
		result = 4
	)
	size := int64(i.Width) * int64(i.Height)
	writes := size * (rgb + planes + result)
	if i.webp != 0 {
		writes = max(writes, size*result+webpMemory(size, i.webp, i.opaque && (i.Format == JPEG || i.Format == HEIC)))
	}
	return fixed + 2*int64(i.Bytes) + i.kept + size*rgb + writes + i.beside
}
