package pixels

import (
	"bytes"
	"image"
	"image/gif"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// Formats that are read only with Limits.More.
const (
	GIF  Format = "gif"
	BMP  Format = "bmp"
	TIFF Format = "tiff"
)

func sniffMore(head []byte) Format {
	for signature, format := range map[string]Format{"GIF87a": GIF, "GIF89a": GIF, "BM": BMP, "II*\x00": TIFF, "MM\x00*": TIFF} {
		if bytes.HasPrefix(head, []byte(signature)) {
			return format
		}
	}
	return ""
}

// scanMore reads the size. The decoder holds at most 8 bytes per pixel, for 16 bits per channel.
func (i *Info) scanMore(data []byte) (config image.Config, err error) {
	switch i.Format {
	case GIF:
		config, err = gif.DecodeConfig(bytes.NewReader(data))
	case BMP:
		config, err = bmp.DecodeConfig(bytes.NewReader(data))
	default:
		config, err = tiff.DecodeConfig(bytes.NewReader(data))
	}
	i.kept = 8 * int64(config.Width) * int64(config.Height)
	return config, err
}

func decodeMore(r io.Reader, format Format) (image.Image, error) {
	switch format {
	case GIF:
		return gif.Decode(r)
	case BMP:
		return bmp.Decode(r)
	default:
		return tiff.Decode(r)
	}
}
