package pixels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"golang.org/x/image/tiff"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/samples"
)

// deepest is the maximum number of bytes per pixel that a decoder holds, for 16 bits per channel.
const deepest = 8

func isTIFF(head []byte) bool {
	return len(head) >= 4 && slices.Contains([]string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}, string(head[:4]))
}

func (i *Info) scanTIFF(data []byte) (image.Config, error) {
	plane, err := samples.Open(data)
	if err == nil {
		i.kept = plane.Memory()
		return image.Config{Width: plane.Width, Height: plane.Height}, nil
	}
	if !errors.Is(err, samples.ErrOther) {
		return image.Config{}, err
	}
	config, err := supported(tiff.DecodeConfig(bytes.NewReader(data)))
	i.kept = deepest * pixelCount(config)
	return config, err
}

func decodeTIFF(ctx context.Context, _ *Decoder, data []byte, _ Info) (image.Image, error) {
	if plane, err := samples.Open(data); err == nil {
		return plane.Gray(ctx)
	}
	return supported(tiff.Decode(newInput(ctx, data)))
}

// supported returns a result of the decoder of TIFF, with a reason if it does not support the picture.
func supported[T any](result T, err error) (T, error) {
	if _, unsupported := errors.AsType[tiff.UnsupportedError](err); unsupported {
		err = fmt.Errorf("%w: %w", ErrUnreadable.With(reason.TIFFFeature), err)
	}
	return result, err
}
