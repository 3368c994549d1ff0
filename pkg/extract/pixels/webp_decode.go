package pixels

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"golang.org/x/image/vp8l"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// webpFrame is the bitstream of one picture in a WebP.
type webpFrame struct {
	size     image.Point
	lossless bool
	data     []byte // the body of the chunk VP8 or VP8L
	alpha    []byte // the body of the chunk ALPH, nil if the frame is opaque or lossless
}

// add reads a chunk of the bitstream. The first bitstream is the picture.
func (f *webpFrame) add(name string, body []byte) {
	switch {
	case f.data != nil:
	case name == "ALPH" && f.alpha == nil:
		f.alpha = body
	case name == "VP8 " && len(body) >= 10: // RFC 6386, section 9.1
		f.data, f.size = body, image.Pt(int(uint24(body[6:])&0x3fff), int(body[8])|int(body[9]&0x3f)<<8)
	case name == "VP8L" && len(body) >= 5: // RFC 9649, section 3.4
		f.data, f.lossless, f.alpha = body, true, nil
		f.size = image.Pt(1+(int(body[1])|int(body[2]&0x3f)<<8), 1+(int(body[2])>>6|int(body[3])<<2|int(body[4]&0xf)<<10))
	}
}

// memory returns the maximum number of bytes that decoding the frame takes besides its pixels in RGB.
func (f *webpFrame) memory() int64 {
	pixels := int64(f.size.X) * int64(f.size.Y)
	switch {
	case f.data == nil:
		return 0
	case f.lossless:
		return losslessMemory(pixels, len(f.data))
	case f.alpha != nil: // the planes, the alpha plane of the decoder, and its pixels if it is stored as a lossless picture
		return 6<<20 + pixels*9 + int64(len(f.data)) + 2*int64(len(f.alpha))
	default:
		return 4<<20 + pixels*3 + int64(len(f.data))
	}
}

// losslessMemory returns the maximum number of bytes that x/image/vp8l allocates for a lossless
// frame: its pixels, the rows of a transform, and the Huffman tables of its groups, each of which
// takes at least 20 bits of the file.
func losslessMemory(pixels int64, size int) int64 {
	const group = 5 * 600
	groups := min(pixels/16+1, int64(size)*8/20+1, 1<<16)
	return pixels*8 + groups*group + int64(size)*16
}

// decode returns the pixels of the frame. Lossless frames are decoded in Go, which returns the same pixels as libwebp.
// x/image/vp8 is not used because it takes the limited range of the samples for the full range.
func (f *webpFrame) decode(ctx context.Context, lossy webpCodec) (*image.NRGBA, error) {
	switch {
	case f.data == nil:
		return nil, errors.New("the file has no picture")
	case !f.lossless:
		return lossy.decode(ctx, f)
	}
	decoded, err := vp8l.Decode(newInput(ctx, f.data))
	if err != nil {
		return nil, err
	}
	m, ok := decoded.(*image.NRGBA)
	if !ok {
		return nil, fmt.Errorf("the decoder returned %T", decoded)
	}
	if f.data[4]&0x10 == 0 { // the header states that alpha is not used
		opaque(m)
	}
	return m, nil
}

func opaque(m *image.NRGBA) {
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 0xff
	}
}

// file returns the frame as a still WebP.
func (f *webpFrame) file() []byte {
	var chunks []byte
	if f.alpha != nil {
		w, h := f.size.X-1, f.size.Y-1
		header := []byte{webpAlpha, 0, 0, 0, byte(w), byte(w >> 8), 0, byte(h), byte(h >> 8), 0}
		chunks = appendChunkTo(appendChunkTo(nil, "VP8X", header), "ALPH", f.alpha)
	}
	return riffOf(appendChunkTo(chunks, "VP8 ", f.data))
}

// webpTime is the maximum time for decoding a frame. One of 100 megapixels takes a few seconds.
const webpTime = 45 * time.Second

// decode decodes a lossy frame with libwebp and converts it to RGB as libwebp does.
func (e webpCodec) decode(ctx context.Context, f *webpFrame) (_ *image.NRGBA, err error) {
	instance, err := e.Start(ctx, wasm.Limits{Memory: f.memory(), Time: webpTime})
	if err != nil {
		return nil, fmt.Errorf("WebP decoder: %w", err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	c := codec{instance}
	file := f.file()
	luma, chroma := f.size.X*f.size.Y, (f.size.X+1)/2*((f.size.Y+1)/2)
	in, answers, planes := c.run("malloc", uint64(len(file))), c.run("malloc", 5*4), uint64(2*luma+2*chroma)
	out := c.run("malloc", planes)
	copy(c.Bytes(in, uint64(len(file))), file)
	width, height, count, animation, delay := answers, answers+4, answers+8, answers+12, answers+16
	const whole, first = 0, 0
	c.run("decode", in, uint64(len(file)), whole, first, width, height, count, animation, delay, out)
	if got := image.Pt(c.number(width), c.number(height)); c.Err() == nil && got != f.size {
		c.Fail(fmt.Errorf("the header states %v pixels, but the content has %v", f.size, got))
	}
	view := c.Bytes(out, planes)
	if c.Err() != nil {
		return nil, c.Err()
	}
	m := limitedRange{y: view[:luma], u: view[luma:][:chroma], v: view[luma+chroma:][:chroma]}.rgb(f.size)
	if f.alpha != nil {
		for i, a := range view[luma+2*chroma:] {
			m.Pix[4*i+3] = a
		}
	}
	return m, nil
}

func decodeWebP(ctx context.Context, d *Decoder, data []byte, i Info) (image.Image, error) {
	if i.sequence != nil {
		return i.sequence.first(ctx, &d.codecs)
	}
	return stillWebP(data).decode(ctx, d.codecs.webp)
}

// stillWebP returns the picture of a file that is not animated.
func stillWebP(data []byte) *webpFrame {
	var f webpFrame
	transparent := false
	eachChunk(data, func(name string, body []byte) {
		if name == "VP8X" && len(body) > 0 {
			transparent = body[0]&webpAlpha != 0
		}
		if name != "ALPH" || transparent {
			f.add(name, body)
		}
	})
	return &f
}
