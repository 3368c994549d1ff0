package pixels

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// avifDecodeWasm and avifEncodeWasm are libavif with the decoder and the encoder of libaom, compiled to WebAssembly and
// compressed.
//
//go:embed libavif/decode.wasm.br
var avifDecodeWasm []byte

//go:embed libavif/encode.wasm.br
var avifEncodeWasm []byte

// isAVIF reports whether a file has a brand of AVIF pictures or sequences (AVIF 1.1, section 6).
func isAVIF(head []byte) bool { return hasBrand(head, "avif", "avis") }

// avifMemory returns the memory limit of an instance that decodes a picture: the frames of the decoder, a copy in RGB, and
// the one that is returned, of 4 or 8 bytes per pixel.
func avifMemory(pixels int64, depth int, alpha bool) int64 {
	each := int64(24)
	if depth > 8 {
		each = 36
	}
	if alpha {
		each += each / 2
	}
	return 48<<20 + pixels*each
}

// scanAVIF reads the properties of the primary picture.
func (i *Info) scanAVIF(data []byte) (image.Config, error) {
	found, err := scanItems(data)
	if err != nil {
		return image.Config{}, err
	}
	i.setItems(found)
	i.Orientation, i.clap = found.geometry()
	i.decoding = avifMemory(pixelCount(found.config), found.depth, found.alpha)
	return found.config, nil
}

func decodeAVIF(ctx context.Context, d *Decoder, data []byte, i Info) (_ image.Image, err error) {
	instance, err := d.codecs.avif.Start(ctx, wasm.Limits{Memory: i.decoding, Time: decodeTime})
	if err != nil {
		return nil, fmt.Errorf("AVIF decoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	m := c.decodeAVIF(withDistinct(withPrimary(data, i.master)), i)
	return m, c.Err()
}

// decodeAVIF reads the size and depth of the picture, then its pixels, which are premultiplied.
func (c codec) decodeAVIF(data []byte, info Info) image.Image {
	in, answers := c.run("malloc", uint64(len(data))), c.run("malloc", 24)
	copy(c.Bytes(in, uint64(len(data))), data)
	width, height, depth, count, delay := answers, answers+4, answers+8, answers+12, answers+16
	const configOnly, whole, first = 1, 0, 0
	c.run("decode", in, uint64(len(data)), configOnly, first, width, height, depth, count, delay, 0)
	size, bits := image.Pt(c.number(width), c.number(height)), c.number(depth)
	if int64(size.X)*int64(size.Y) > int64(info.Width)*int64(info.Height) || size.X <= 0 || size.Y <= 0 {
		c.Fail(fmt.Errorf("the header states %d × %d pixels, but the content has %d × %d", info.Width, info.Height, size.X, size.Y))
		return nil
	}
	channel := 1
	if bits > 8 {
		channel = 2
	}
	bytes := uint64(4 * channel * size.X * size.Y)
	out := c.run("malloc", bytes)
	clear(c.Bytes(out, bytes)) // the decoder returns without an error if it cannot read the picture
	c.run("decode", in, uint64(len(data)), whole, first, width, height, depth, count, delay, out)
	view := c.Bytes(out, bytes)
	if c.Err() != nil {
		return nil
	}
	m := image.NewNRGBA(image.Rectangle{Max: size})
	if channel == 2 {
		narrow(m.Pix, view)
	} else {
		copy(m.Pix, view)
		divideByAlpha(m)
	}
	return reduced(cropped(m, info.clap), bits)
}

// narrow converts premultiplied little-endian RGBA with 16 bits per channel.
func narrow(to, from []byte) {
	for i := 0; i < len(to); i += 4 {
		in, out := from[2*i:2*i+8:2*i+8], to[i:i+4:i+4]
		alpha := uint32(in[6]) | uint32(in[7])<<8
		out[3] = byte((alpha*255 + 32767) / 65535)
		if alpha == 0 {
			continue
		}
		for c := range 3 {
			v := uint32(in[2*c]) | uint32(in[2*c+1])<<8
			out[c] = byte(min((v*255+alpha/2)/alpha, 255))
		}
	}
}
