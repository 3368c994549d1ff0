package pixels

import (
	"context"
	"image"
)

// Format is a picture format. Its value is the name in the API.
type Format string

// Picture formats. JPEG, PNG, WebP, GIF and AVIF can be written.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
	HEIC Format = "heic"
	GIF  Format = "gif"
	BMP  Format = "bmp"
	TIFF Format = "tiff"
	Raw  Format = "raw" // the embedded preview of a raw file of a camera
	AVIF Format = "avif"
	JXL  Format = "jxl"
)

// MediaType returns the MIME type of the format. That of raw files, which differs by manufacturer, is image/x-raw.
func (f Format) MediaType() string {
	if f == Raw {
		return "image/x-raw"
	}
	return "image/" + string(f)
}

// format is a format that can be read.
type format struct {
	name Format
	// is reports whether the first bytes of a file, at least 32, are of the format.
	is func(head []byte) bool
	// header reads the size with the decoder's own parser, because the decoder allocates memory for that size, and
	// the rest of the Info with a scan of the container.
	header func(i *Info, data []byte) (image.Config, error)
	decode func(ctx context.Context, d *Decoder, data []byte, i Info) (image.Image, error)
}

// formats returns the formats that can be read.
func formats() []format {
	all := []format{
		{name: Raw, is: isRaw, header: (*Info).scanRaw, decode: decodeRaw}, // before TIFF, on which some are based
		{name: JPEG, is: isJPEG, header: (*Info).scanJPEG, decode: decodeJPEG},
		{name: PNG, is: isPNG, header: (*Info).scanPNG, decode: decodePNG},
		{name: WebP, is: isWebP, header: (*Info).scanWebP, decode: decodeWebP},
		{name: GIF, is: isGIF, header: (*Info).scanGIF, decode: decodeGIF},
		{name: BMP, is: isBMP, header: (*Info).scanBMP, decode: decodeBMP},
		{name: TIFF, is: isTIFF, header: (*Info).scanTIFF, decode: decodeTIFF},
		{name: AVIF, is: isAVIF, header: (*Info).scanAVIF, decode: decodeAVIF},
		{name: JXL, is: isJXL, header: (*Info).scanJXL, decode: decodeJXL},
	}
	if heicIncluded {
		all = append(all, format{name: HEIC, is: isHEIC, header: (*Info).scanHEIC, decode: decodeHEIC})
	}
	return all
}

// Sniff detects the format of a file from its first bytes. 32 bytes suffice, except for raw files that are based on TIFF,
// whose first directory must be included. It returns "" for other formats.
func Sniff(head []byte) Format {
	if f := sniff(head); f != nil {
		return f.name
	}
	return ""
}

func sniff(head []byte) *format {
	for _, f := range formats() {
		if f.is(head) {
			return &f
		}
	}
	return nil
}
