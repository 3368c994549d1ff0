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

const (
	// avifQuality is the default quality of an AVIF.
	avifQuality = 65
	// avifSpeed is 0 to 10. A greater value is faster and produces larger files.
	avifSpeed = 9
)

// avifEncodeMemory returns the memory limit of an instance that encodes a picture. The worst case is noise, which took 46
// bytes per pixel in measurements, or 25 with a quality below 90. The limit for large pictures leaves room for those that
// are resized before they are encoded; beyond it, encoding returns ErrTooLarge.
func avifEncodeMemory(pixels int64) int64 { return min(64<<20+pixels*48, 800<<20) }

// encodeAVIF returns the encoded picture without a profile. quality is 1 to 100.
func encodeAVIF(e *wasm.Engine, m *image.NRGBA, quality int) (_ []byte, err error) {
	ctx := context.Background() // no deadline: the size of the picture bounds the work
	width, height := m.Rect.Dx(), m.Rect.Dy()
	instance, err := e.Start(ctx, wasm.Limits{Memory: avifEncodeMemory(int64(width) * int64(height))})
	if err != nil {
		return nil, fmt.Errorf("AVIF encoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	defer func() {
		if instance.OutOfMemory() {
			err = ErrTooLarge.With(reason.EncodingMemory)
		}
	}()
	in, size := c.run("malloc", uint64(4*width*height)), c.run("malloc", 8)
	pixels := c.Bytes(in, uint64(4*width*height))
	for y := 0; y < height && pixels != nil; y++ {
		multiply(pixels[4*width*y:][:4*width], m.Pix[y*m.Stride:])
	}
	const yuv444, yuv420 = 1, 3
	sampling := uint64(yuv420)
	if quality >= 90 {
		sampling = yuv444
	}
	out := c.run("encode", in, uint64(width), uint64(height), size, uint64(quality), uint64(max(quality, 90)), avifSpeed, sampling)
	view := c.Bytes(out, uint64(c.number(size)))
	switch {
	case c.Err() != nil:
		return nil, fmt.Errorf("AVIF encoder: %w", c.Err())
	case len(view) == 0:
		return nil, errors.New("the AVIF encoder returned no output")
	}
	return bytes.Clone(view), nil
}

// multiply writes premultiplied pixels.
func multiply(to, from []byte) {
	for i := 0; i < len(to); i += 4 {
		a := uint32(from[i+3])
		for c := range 3 {
			to[i+c] = byte((uint32(from[i+c])*a + 127) / 255)
		}
		to[i+3] = byte(a)
	}
}
