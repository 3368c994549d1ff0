package samples

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math/bits"
)

// block returns the samples of strip or tile i with a height, without the predictor. Missing bytes are 0, and read is the
// share that was there.
func (c *Colors) block(i, height int) (out []byte, read float64, err error) {
	p := &c.plane
	row := c.rowBytes()
	size := row * ((height + c.vertical - 1) / c.vertical)
	out = make([]byte, size)
	raw, whole := c.stored(i)
	if c.reversed {
		raw = bytes.Clone(raw)
		for i, b := range raw {
			raw[i] = bits.Reverse8(b)
		}
	}
	if isFax(p.compression) {
		raw, err = c.fax(raw, height)
	} else {
		raw, err = compressions[p.compression](raw, int64(size))
	}
	n := copy(out, raw)
	if n == 0 && size > 0 && whole && err != nil {
		return nil, 0, fmt.Errorf("%w: strip or tile %d: %w", ErrDamaged, i, err)
	}
	for at := 0; at < len(out) && p.predictor != predictorNone; at += row {
		if p.predictor == predictorFloat {
			p.interleave(out[at : at+row])
		} else {
			p.sum(out[at : at+row])
		}
	}
	return out, float64(n) / float64(max(size, 1)), nil
}

// stored returns the compressed bytes of a strip or tile, and whether they are all in the file.
func (c *Colors) stored(i int) ([]byte, bool) {
	at, count, size := c.plane.offsets[i], c.plane.counts[i], int64(len(c.plane.data))
	if at < 0 || count < 0 || at > size {
		return nil, false
	}
	return c.plane.data[at : at+min(count, size-at)], count <= size-at
}

// fax decompresses rows of 1 bit.
func (c *Colors) fax(data []byte, height int) ([]byte, error) {
	const twoDimensional = 1
	f := fax{data: data, width: c.plane.blockWidth, lines: true}
	switch c.plane.compression {
	case compressionG4:
		f.always2D = true
	case compressionHuffman:
		f.lines, f.alignedRow = false, true
	default:
		f.tagged = c.directory.first(tagT4Options, 0)&twoDimensional != 0
	}
	return f.unfax(height)
}

// jpeg returns strip or tile i.
func (c *Colors) jpeg(ctx context.Context, i int) (image.Image, error) {
	data, _ := c.stored(i)
	if t := c.tables; len(t) > 4 && len(data) > 2 { // the tables without EOI, the strip without SOI
		data = bytes.Join([][]byte{t[:len(t)-2], data[2:]}, nil)
	}
	if c.JPEG == nil {
		return nil, unsupported("JPEG compression")
	}
	if c.photometric == photometricRGB && c.channels == 3 || c.photometric == photometricCMYK {
		// Without the marker of Adobe, the decoder assumes Y'CbCr, and refuses CMYK.
		adobe := []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
		data = bytes.Join([][]byte{data[:min(2, len(data))], adobe, data[min(2, len(data)):]}, nil)
	}
	return c.JPEG(ctx, data)
}
