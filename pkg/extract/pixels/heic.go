//go:build !noheic

package pixels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// heicIncluded is false with the build tag noheic.
const heicIncluded = true

// heicMemory returns the memory limit of an instance that decodes a picture. libheif holds the tiles, the complete picture,
// and its copies in 8 bits and in RGB. In measurements it took at most 12 bytes per pixel, 14 with an alpha plane, and 20
// with an alpha plane and more than 8 bits.
func heicMemory(pixels int64, depth int, alpha bool) int64 {
	each := int64(12)
	if alpha {
		each += 4
	}
	if depth > 8 {
		each += each / 2
	}
	return 48<<20 + pixels*each
}

// heif decodes HEIC with an engine. Decoding takes about 0.2 s of processor time per megapixel,
// compiling the codec about a second.
type heif struct{ *wasm.Engine }

func newHEIF(c wasm.Config) heif { return heif{newLibheif(c)} }

// decode returns RGB with the geometry of the container applied. A failure affects only this instance
// of the decoder and is returned as an error.
func (h heif) decode(ctx context.Context, data []byte, info Info) (_ image.Image, err error) {
	instance, err := h.Start(ctx, wasm.Limits{Memory: info.decoding, Time: decodeTime})
	if err != nil {
		return nil, fmt.Errorf("HEIC decoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	m := c.decodeHEIC(data, info)
	return m, c.Err()
}

// Constants of libheif (heif.h, heif_image.h, heif_error.h) and the offsets of fields of heif_decoding_options.
const (
	heifRGB, heifGray, heifRGBA, heifInterleaved = 1, 2, 11, 10
	heifUnsupportedFile, heifUnsupportedFeature  = 3, 4
	heifTo8Bits, heifCorrectErrors, heifSize     = 20, 68, 72
)

// decodeHEIC decodes the primary picture. libheif converts it to RGB with the matrix and range that the file states, and
// corrects known errors of cameras.
func (c codec) decodeHEIC(data []byte, info Info) image.Image {
	in, answer := c.run(heifMalloc, uint64(len(data))), c.run(heifMalloc, 24)
	copy(c.Bytes(in, uint64(len(data))), data)
	file, result := c.run(heifContext), answer+12
	c.try(heifRead, answer, file, in, uint64(len(data)), 0)
	c.try(heifPrimary, answer, file, result)
	handle := uint64(c.number(result))
	size := image.Pt(int(c.Call(heifWidth, handle)), int(c.Call(heifHeight, handle)))
	if c.Err() == nil && (size.X <= 0 || size.Y <= 0 || int64(size.X)*int64(size.Y) > int64(info.Width)*int64(info.Height)) {
		c.Fail(fmt.Errorf("the header states %d × %d pixels, but the content has %d × %d", info.Width, info.Height, size.X, size.Y))
	}
	c.try(heifColorspace, answer, handle, result, result+4)
	gray := c.number(result) == heifGray && c.Call(heifHasAlpha, handle) == 0
	options := c.run(heifOptions)
	if b := c.Bytes(options, heifSize); b != nil {
		b[heifTo8Bits], b[heifCorrectErrors] = 1, 1
	}
	c.try(heifDecode, answer, handle, result, heifRGB, heifRGBA, options)
	at := c.run(heifPlane, uint64(c.number(result)), heifInterleaved, result)
	stride := c.number(result)
	view := c.Bytes(at, uint64(stride*(size.Y-1)+4*size.X))
	depth, multiplied := c.Call(heifDepth, handle), c.Call(heifIsMultiplied, handle) != 0
	if c.Err() != nil {
		return nil
	}
	var out image.Image
	if gray {
		out = grayOf(view, stride, size)
	} else {
		m := &image.NRGBA{Pix: bytes.Clone(view), Stride: stride, Rect: image.Rectangle{Max: size}}
		if multiplied {
			divideByAlpha(m)
		}
		out = m
	}
	return reduced(cropped(out, info.clap), int(depth))
}

// try calls a function that returns a heif_error at the address answer.
func (c codec) try(name string, answer uint64, args ...uint64) {
	c.Call(name, append([]uint64{answer}, args...)...)
	switch code := c.number(answer); {
	case c.Err() != nil || code == 0:
	case c.OutOfMemory():
		c.Fail(wasm.ErrMemory)
	case code == heifUnsupportedFile || code == heifUnsupportedFeature:
		c.Fail(ErrUnreadable.With(reason.PictureFeature))
	default:
		c.Fail(errRejected)
	}
}
