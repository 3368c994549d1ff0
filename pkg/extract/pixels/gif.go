package pixels

import (
	"bytes"
	"context"
	"image"
	"image/gif"
)

func isGIF(head []byte) bool {
	return bytes.HasPrefix(head, []byte("GIF87a")) || bytes.HasPrefix(head, []byte("GIF89a"))
}

func (i *Info) scanGIF(data []byte) (image.Config, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(data))
	i.kept = deepest * pixelCount(config)
	return config, err
}

func decodeGIF(ctx context.Context, _ *Decoder, data []byte, _ Info) (image.Image, error) {
	return gif.Decode(newInput(ctx, data))
}
