package pixels

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/samples"
)

// Formats that are read only with Limits.More.
const (
	GIF  Format = "gif"
	BMP  Format = "bmp"
	TIFF Format = "tiff"
)

func sniffMore(head []byte) Format {
	for signature, format := range map[string]Format{"GIF87a": GIF, "GIF89a": GIF, "BM": BMP, "II*\x00": TIFF, "MM\x00*": TIFF, "II+\x00": TIFF, "MM\x00+": TIFF} {
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
		plane, planeErr := samples.Open(data)
		if planeErr == nil {
			i.kept = plane.Memory()
			return image.Config{Width: plane.Width, Height: plane.Height}, nil
		}
		if !errors.Is(planeErr, samples.ErrOther) {
			return config, planeErr
		}
		config, err = supported(tiff.DecodeConfig(bytes.NewReader(data)))
	}
	i.kept = 8 * int64(config.Width) * int64(config.Height)
	return config, err
}

func decodeMore(in input, data []byte, format Format) (image.Image, error) {
	switch format {
	case GIF:
		return gif.Decode(in)
	case BMP:
		return bmp.Decode(in)
	}
	if plane, err := samples.Open(data); err == nil {
		return plane.Gray(in.ctx)
	}
	return supported(tiff.Decode(in))
}

// supported returns a result of the decoder of TIFF, with a reason if it does not support the picture.
func supported[T any](result T, err error) (T, error) {
	if _, unsupported := errors.AsType[tiff.UnsupportedError](err); unsupported {
		err = fmt.Errorf("%w: %w", ErrUnreadable.With(reason.TIFFFeature), err)
	}
	return result, err
}
