package pixels

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// webpWasm is libwebp, compiled to WebAssembly and compressed.
//
//go:embed libwebp/webp.wasm.br
var webpWasm []byte

const (
	// webpQuality is the default quality of a WebP.
	webpQuality = 80
	// webpLossless is the quality of lossless encoding.
	webpLossless = 100
	// webpMethod is the effort, 0 to 6. More effort takes longer and produces smaller files.
	webpMethod = 2
	// losslessEffort is the effort of lossless encoding, 0 to 100.
	losslessEffort = 20
)

// webpMemory returns the memory limit of an instance that encodes a picture: its RGBA, the encoder's
// copy, its planes and its output. The worst case is noise, which took 16 bytes per pixel in
// measurements, or 43 with lossless encoding or an alpha channel, which is always encoded
// losslessly.
func webpMemory(pixels int64, quality int, opaque bool) int64 {
	if opaque && quality != webpLossless {
		return 8<<20 + pixels*18
	}
	return 8<<20 + pixels*46
}

// webpCodec reads and writes WebP with an engine. Its output is the same on every machine.
type webpCodec struct{ *wasm.Engine }

func newWebP(c wasm.Config) webpCodec {
	return webpCodec{newCodec("libwebp", webpWasm, c)}
}

// encode returns the encoded picture. quality is 1 to 100.
func (e webpCodec) encode(m *image.NRGBA, quality int, opaque bool) (_ []byte, err error) {
	ctx := context.Background() // no deadline: the size of the picture bounds the work
	width, height := m.Rect.Dx(), m.Rect.Dy()
	most := webpMemory(int64(width)*int64(height), quality, opaque)
	instance, err := e.Start(ctx, wasm.Limits{Memory: most, First: most})
	if err != nil {
		return nil, fmt.Errorf("WebP encoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	in, size := c.run("malloc", uint64(4*width*height)), c.run("malloc", 8)
	pixels := c.Bytes(in, uint64(4*width*height))
	for y := 0; y < height && pixels != nil; y++ {
		copy(pixels[4*width*y:], m.Pix[y*m.Stride:][:4*width])
	}
	lossless := uint64(0)
	if quality == webpLossless {
		lossless, quality = 1, losslessEffort
	}
	const rgba, exact = 0, 0
	out := c.run("encode", in, uint64(width), uint64(height), size, rgba, uint64(quality), webpMethod, lossless, exact)
	view := c.Bytes(out, uint64(c.number(size)))
	switch {
	case c.Err() != nil:
		return nil, fmt.Errorf("WebP encoder: %w", c.Err())
	case len(view) == 0:
		return nil, errors.New("the WebP encoder returned no output")
	}
	return bytes.Clone(view), nil
}
