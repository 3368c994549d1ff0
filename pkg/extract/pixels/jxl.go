package pixels

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// jxlWasm is the decoder of libjxl, compiled to WebAssembly and compressed.
//
//go:embed libjxl/decode.wasm.br
var jxlWasm []byte

// jxlContainer is the first box of a file that is not a bare codestream (ISO/IEC 18181-2, 9.1).
const jxlContainer = "\x00\x00\x00\x0cJXL \r\n\x87\n"

func isJXL(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\x0a")) || bytes.HasPrefix(head, []byte(jxlContainer))
}

// jxlMemory returns the memory limit of an instance that decodes a picture: the channels of the decoder, with 4 bytes for
// each sample, and the picture that it returns.
func jxlMemory(pixels int64, channels, depth int) int64 {
	each := int64(5*channels + 8)
	if depth > 8 {
		each += 8
	}
	return 40<<20 + pixels*each
}

// jxlLayers returns the memory that is needed in addition for a picture of several layers or with patches, which its
// header does not state: four frames can be kept for later ones (ISO/IEC 18181-1).
func jxlLayers(i Info) int64 {
	const frames, sample = 4, 4
	return 32<<20 + frames*sample*int64(3+i.jxl.extra)*int64(i.Width)*int64(i.Height)
}

// scanJXL reads the header of the codestream.
func (i *Info) scanJXL(data []byte) (image.Config, error) {
	h, err := readJXL(codestream(data))
	if err != nil {
		return image.Config{}, err
	}
	if h.animated {
		i.Frames = 0
	}
	i.jxl, i.solid = h, !h.alpha
	i.setJXLColor(h)
	i.decoding = jxlMemory(pixelCount(h.size), 3+h.extra, h.depth)
	return h.size, nil
}

// codestream returns the codestream of a file, which a container may store in parts.
func codestream(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte(jxlContainer)) {
		return data
	}
	var out []byte
	eachBox(data, func(name string, body []byte) {
		switch {
		case name == "jxlc":
			out = append(out, body...)
		case name == "jxlp" && len(body) > 4:
			out = append(out, body[4:]...)
		}
	})
	return out
}

func decodeJXL(ctx context.Context, d *Decoder, data []byte, i Info) (_ image.Image, err error) {
	instance, err := d.codecs.jxl.Start(ctx, wasm.Limits{Memory: i.decoding, Time: decodeTime})
	if err != nil {
		return nil, fmt.Errorf("JPEG XL decoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	m := c.decodeJXL(data, i)
	return m, c.Err()
}

// decodeJXL decodes the first frame. libjxl applies the orientation, and returns samples of 8 or big-endian 16 bits.
func (c codec) decodeJXL(data []byte, info Info) image.Image {
	in, answers := c.run("malloc", uint64(len(data))), c.run("malloc", 24)
	copy(c.Bytes(in, uint64(len(data))), data)
	channel := 1
	if info.jxl.depth == 16 {
		channel = 2
	}
	size := uint64(4 * channel * info.Width * info.Height)
	out := c.run("malloc", size)
	clear(c.Bytes(out, size))
	width, height, depth, count, delay := answers, answers+4, answers+8, answers+12, answers+16
	const whole, first = 0, 0
	c.run("decode", in, uint64(len(data)), whole, first, width, height, depth, count, delay, out)
	view := c.Bytes(out, size)
	bounds := image.Rect(0, 0, c.number(width), c.number(height))
	if c.Err() == nil && bounds.Dx()*bounds.Dy() != info.Width*info.Height {
		c.Fail(fmt.Errorf("the header states %d × %d pixels, but the content has %d × %d", info.Width, info.Height, bounds.Dx(), bounds.Dy()))
	}
	if c.Err() != nil {
		return nil
	}
	m := image.NewNRGBA(bounds)
	if channel == 2 {
		for at := range m.Pix {
			m.Pix[at] = byte((uint32(binary.BigEndian.Uint16(view[2*at:]))*255 + 32767) / 65535)
		}
	} else {
		copy(m.Pix, view)
	}
	if info.jxl.multiplied {
		divideByAlpha(m)
	}
	return reduced(m, info.jxl.depth)
}
