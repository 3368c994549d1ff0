package pixels

import (
	"bytes"
	"context"
	"image"

	"golang.org/x/image/bmp"
)

func isBMP(head []byte) bool { return bytes.HasPrefix(head, []byte("BM")) }

func (i *Info) scanBMP(data []byte) (image.Config, error) {
	config, err := bmp.DecodeConfig(bytes.NewReader(data))
	i.kept = deepest * pixelCount(config)
	return config, err
}

func decodeBMP(ctx context.Context, _ *Decoder, data []byte, _ Info) (image.Image, error) {
	return bmp.Decode(newInput(ctx, data))
}
