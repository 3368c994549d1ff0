//go:build !noheic

package pixels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"time"
	_ "unsafe" // for go:linkname

	_ "github.com/gen2brain/heic" // contains the decoder's code

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// heifWasm is libheif with libde265, compiled to WebAssembly and compressed. Package heic does not
// export it, and runs it without memory or time limits.
//
//go:linkname heifWasm github.com/gen2brain/heic.heifWasm
var heifWasm []byte

// heicIncluded is false with the build tag noheic.
const heicIncluded = true

// heicMemory returns the memory limit of an instance that decodes a picture. libheif holds the
// tiles, the complete picture, and the copy that it returns.
func heicMemory(pixels int64) int64 { return 48<<20 + pixels*8 }

// decodeTime is the maximum time for decoding a picture. A photo of 100 megapixels takes 20 s.
const decodeTime = 45 * time.Second

// heif decodes HEIC with an engine. Decoding takes about 0.2 s of processor time per megapixel,
// compiling the codec about a second.
type heif struct{ *wasm.Engine }

func newHEIF(c wasm.Config) heif { return heif{newCodec("libheif", heifWasm, c)} }

// decode returns Y'CbCr, gray or RGB with the rotation of the container applied. A failure affects
// only this instance of the decoder and is returned as an error.
func (h heif) decode(ctx context.Context, data []byte, info Info) (_ image.Image, err error) {
	instance, err := h.Start(ctx, wasm.Limits{Memory: heicMemory(int64(info.Width) * int64(info.Height)), Time: decodeTime})
	if err != nil {
		return nil, fmt.Errorf("HEIC decoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	m := c.decodeHEIC(data, info)
	return m, c.Err()
}

// decodeHEIC reads the size and the color space of the picture, then its pixels.
func (c codec) decodeHEIC(data []byte, info Info) image.Image {
	in := c.run("malloc", uint64(len(data)))
	answers := c.run("malloc", 5*4)
	copy(c.Bytes(in, uint64(len(data))), data)
	width, height, space, chroma, premultiplied := answers, answers+4, answers+8, answers+12, answers+16
	const configOnly, whole = 1, 0
	c.run("decode", in, uint64(len(data)), configOnly, width, height, space, chroma, premultiplied, 0)
	size := image.Pt(c.number(width), c.number(height))
	if int64(size.X)*int64(size.Y) > int64(info.Width)*int64(info.Height) || size.X <= 0 || size.Y <= 0 {
		c.Fail(fmt.Errorf("the header states %d × %d pixels, but the content has %d × %d", info.Width, info.Height, size.X, size.Y))
		return nil
	}
	l, err := newLayout(size, c.number(space), c.number(chroma))
	if err != nil {
		c.Fail(err)
		return nil
	}
	out := c.run("malloc", uint64(l.bytes))
	c.run("decode", in, uint64(len(data)), whole, width, height, space, chroma, premultiplied, out)
	view, divide := c.Bytes(out, uint64(l.bytes)), c.number(premultiplied) == 1
	if c.Err() != nil {
		return nil
	}
	return l.image(bytes.Clone(view), divide)
}
